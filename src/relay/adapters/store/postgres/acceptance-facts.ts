import {
  addUse,
  type MakerProtections,
  NO_USE,
  type ProtectionTrip,
  type WindowUse,
} from '@rfqctl/protocol/domain/maker-protections'
import type { Suspension } from '@rfqctl/protocol/domain/maker-record'
import type { Store } from '../../../core/ports/store.ts'
import { decodeUse, type Encoded } from '../codec.ts'
import type { Query } from './database.ts'
import { protectionsOf } from './protections.ts'

type Row = {
  now: number
  isFree: boolean
  owed: number
  version: number | null
  body: Encoded<MakerProtections>
  trip: Encoded<ProtectionTrip> | null
  usedVersion: number
  /** Uses by the place of their window, for takers with and without a proof; an unused window has none. */
  used: readonly { window: number; isProven: boolean; use: Encoded<WindowUse> }[]
  suspension: Suspension | null
}

/**
 * One statement, hence of one moment, which is never before the acceptance was made (fault I19). The use of windows is summed here, since a
 * day of a busy maker is many thousand rows; amounts are text, as JSON carries them. What a former program counted does not say whether its
 * taker has proved its wallet.
 */
const FACTS = `
  with facts as materialized (
    select greatest(now_ms(), $5::bigint) as now,
      exists (select from requests where request_id = $1 and status = 'open' and pending_id is null) as "isFree",
      coalesce((select version from nonces where wallet = $3), 0) as owed,
      coalesce((select max(seq) from counted_acceptances where maker_id = $2), 0) as "usedVersion"
  )
  select facts.*, p.version, p.body, p.trip, s.body as suspension, coalesce(u.used, '[]') as used
  from facts
  left join maker_protections p on p.maker_id = $2
  left join maker_suspensions s on s.maker_id = $2
  left join lateral (
    select jsonb_agg(jsonb_build_object('window', place - 1, 'isProven', is_proven, 'use', jsonb_build_object(
      'accepted', accepted, 'contracts', contracts::text, 'notional', notional::text, 'collateral', collateral::text
    ))) as used
    from jsonb_array_elements(p.body -> 'windows') with ordinality as w (bound, place)
    cross join lateral (
      select coalesce((amounts ->> 'isProven')::boolean, false) as is_proven, count(*) as accepted,
        sum((amounts ->> 'contracts')::numeric) as contracts, sum((amounts ->> 'notional')::numeric) as notional,
        sum((amounts ->> 'collateral')::numeric) as collateral
      from counted_acceptances where maker_id = $2 and at > facts.now - (bound ->> 'ms')::bigint group by 1
    ) counted
    where $4::bigint is null or owed = $4
  ) u on true`

export const createFactsOf =
  (query: Query): Store['acceptances']['factsOf'] =>
  async ({ requestId, makerId, order, createdAt }, seenOwed = null) => {
    const [row] = await query<Row>(FACTS, [requestId, makerId, order.maker.toLowerCase(), seenOwed, createdAt])
    const { version, body, trip, used, ...facts } = row as Row
    const protections = version === null ? null : protectionsOf({ maker_id: makerId, version, body, trip })
    const windows = protections?.protections.windows ?? []
    const useOf = (place: number, isProven: boolean): WindowUse => {
      const found = used.find((one) => one.window === place && one.isProven === isProven)
      return found === undefined ? NO_USE : decodeUse(found.use)
    }
    return {
      ...facts,
      protections,
      used: windows.map((window, place) => {
        const unproven = useOf(place, false)
        return { window, all: addUse(useOf(place, true), unproven), unproven }
      }),
    }
  }
