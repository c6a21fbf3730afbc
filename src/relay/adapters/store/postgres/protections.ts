import type { MakerProtections, ProtectionState, ProtectionTrip } from '@rfqctl/protocol/domain/maker-protections'
import type { Store } from '../../../core/ports/store.ts'
import { decodeProtections, decodeTrip, type Encoded, encode } from '../codec.ts'
import type { Database } from './database.ts'

type Row = { maker_id: string; version: number; body: Encoded<MakerProtections>; trip: Encoded<ProtectionTrip> | null }

const ROW = 'maker_id, version, body, trip'

/** Acceptances hold it until they are counted: what is read after it is all that was counted before. */
const LOCK = 'select body from maker_protections where maker_id = $1 for update'

const FORGET = 'delete from counted_acceptances where maker_id = $1'

/** As in `nextVersion` of the domain. */
const NEXT = 'greatest(version + 1, now_ms())'

const PUT = `
  insert into maker_protections as held (maker_id, version, body) values ($1, now_ms(), $2)
  on conflict (maker_id) do update set version = ${NEXT.replace('version', 'held.version')}, body = excluded.body returning ${ROW}`

const RESET = `
  update maker_protections set version = ${NEXT}, trip = null where maker_id = $1 returning ${ROW}`

const TRIP = `
  update maker_protections set version = ${NEXT}, trip = $4
  where maker_id = $1 and version = $2
    and $3 = (select coalesce(max(seq), 0) from counted_acceptances where maker_id = $1) returning 1`

/** `apply_acceptance` counts acceptances, under a lock of the maker's row. */
export function createProtections({ query, transaction }: Database): Store['protections'] {
  return {
    put: (makerId, protections) =>
      transaction(async (query) => {
        const [former] = await query<Pick<Row, 'body'>>(LOCK, [makerId])
        if (former?.body.windows.length === 0) await query(FORGET, [makerId])
        const [row] = await query<Row>(PUT, [makerId, encode(protections)])
        return protectionsOf(row as Row)
      }),
    reset: (makerId) =>
      transaction(async (query) => {
        await query(LOCK, [makerId])
        await query(FORGET, [makerId])
        const [row] = await query<Row>(RESET, [makerId])
        return row === undefined ? null : protectionsOf(row)
      }),
    trip: (makerId, trip, { protections, used }) =>
      transaction(async (query) => {
        await query(LOCK, [makerId])
        return (await query(TRIP, [makerId, protections, used, encode(trip)])).length > 0
      }),
    find: async (makerId) => {
      const [row] = await query<Row>(`select ${ROW} from maker_protections where maker_id = $1`, [makerId])
      return row === undefined ? null : protectionsOf(row)
    },
    list: async () => (await query<Row>(`select ${ROW} from maker_protections`)).map(protectionsOf),
  }
}

export const protectionsOf = ({ maker_id: makerId, version, body, trip }: Row): ProtectionState => ({
  makerId,
  version,
  protections: decodeProtections(body),
  trip: trip === null ? null : decodeTrip(trip),
})
