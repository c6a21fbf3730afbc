import type { MakerProtections, ProtectionState, ProtectionTrip } from '@rfqctl/protocol/domain/maker-protections'
import type { Store } from '../../../core/ports/store.ts'
import { decodeProtections, decodeTrip, type Encoded, encode } from '../codec.ts'
import type { Database } from './database.ts'

type Row = { maker_id: string; version: number; body: Encoded<MakerProtections>; trip: Encoded<ProtectionTrip> | null }

const ROW = 'maker_id, version, body, trip'

/** `insert_acceptance` counts acceptances and trips windows, under a lock of the maker's row. */
export function createProtections({ query }: Database): Store['protections'] {
  return {
    put: async (makerId, protections) => {
      const [row] = await query<Row>(`select ${ROW} from put_protections($1, $2)`, [makerId, encode(protections)])
      return stateOf(row as Row)
    },
    reset: async (makerId) => {
      const [row] = await query<Row>(`select ${ROW} from reset_protections($1)`, [makerId])
      return row === undefined ? null : stateOf(row)
    },
    find: async (makerId) => {
      const [row] = await query<Row>(`select ${ROW} from maker_protections where maker_id = $1`, [makerId])
      return row === undefined ? null : stateOf(row)
    },
    list: async () => (await query<Row>(`select ${ROW} from maker_protections`)).map(stateOf),
  }
}

const stateOf = ({ maker_id: makerId, version, body, trip }: Row): ProtectionState => ({
  makerId,
  version,
  protections: decodeProtections(body),
  trip: trip === null ? null : decodeTrip(trip),
})
