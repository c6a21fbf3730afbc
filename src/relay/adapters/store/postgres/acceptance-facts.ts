import type { MakerProtections, ProtectionTrip, UsedWindow, WindowUse } from '@rfqctl/protocol/domain/maker-protections'
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
  used: readonly { all: Encoded<WindowUse>; unproven: Encoded<WindowUse> }[]
  suspension: Suspension | null
}

/** Sums are text, as JSON carries amounts. What a node of a former version counted does not say whether its taker has proved its wallet. */
const useOf = (takers: string): string => `jsonb_build_object(
  'accepted', count(*) filter (where ${takers}),
  'contracts', coalesce(sum((amounts ->> 'contracts')::numeric) filter (where ${takers}), 0)::text,
  'notional', coalesce(sum((amounts ->> 'notional')::numeric) filter (where ${takers}), 0)::text,
  'collateral', coalesce(sum((amounts ->> 'collateral')::numeric) filter (where ${takers}), 0)::text
)`
const UNPROVEN = `not coalesce((amounts ->> 'isProven')::boolean, false)`

/** One statement, hence of one moment. The uses of windows are summed here: a day of a busy maker is many thousand rows. */
const FACTS = `
  with moment as materialized (select now_ms() as now)
  select m.now, p.version, p.body, p.trip, s.body as suspension,
    coalesce((select max(seq) from counted_acceptances where maker_id = $2), 0) as "usedVersion",
    exists (select from requests where request_id = $1 and status = 'open' and pending_id is null) as "isFree",
    coalesce((select version from nonces where wallet = $3), 0) as owed,
    coalesce((
      select jsonb_agg(u.used order by place)
      from jsonb_array_elements(p.body -> 'windows') with ordinality as w (bound, place)
      cross join lateral (
        select jsonb_build_object('all', ${useOf('true')}, 'unproven', ${useOf(UNPROVEN)}) as used
        from counted_acceptances where maker_id = $2 and at > m.now - (bound ->> 'ms')::bigint
      ) u
    ), '[]') as used
  from moment m
  left join maker_protections p on p.maker_id = $2
  left join maker_suspensions s on s.maker_id = $2`

export const createFactsOf =
  (query: Query): Store['acceptances']['factsOf'] =>
  async ({ requestId, makerId, order }) => {
    const [row] = await query<Row>(FACTS, [requestId, makerId, order.maker.toLowerCase()])
    const { now, isFree, owed, version, body, trip, usedVersion, used, suspension } = row as Row
    const protections = version === null ? null : protectionsOf({ maker_id: makerId, version, body, trip })
    const windows = protections?.protections.windows ?? []
    return {
      now,
      isFree,
      owed,
      protections,
      used: used.map(({ all, unproven }, i) => ({
        window: windows[i] as UsedWindow['window'],
        all: decodeUse(all),
        unproven: decodeUse(unproven),
      })),
      usedVersion,
      suspension,
    }
  }
