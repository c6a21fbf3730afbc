import { CLOSED_MEMORY_MS } from '@rfqctl/protocol/domain/limits'
import type { ClosedStatus, QuoteRequest, RequestStatus } from '@rfqctl/protocol/domain/request'
import type { Takeover } from '../../../core/ports/live.ts'
import type { Store } from '../../../core/ports/store.ts'
import { decodeRequest, type Encoded, encode } from '../codec.ts'
import { type AcceptanceRow, acceptanceOf } from './acceptances.ts'
import type { Database } from './database.ts'
import { nowFor } from './schema/functions.ts'

type Row = { body: Encoded<QuoteRequest>; status: RequestStatus }

/** One row per request, until a while after its end. */
export function createRequests({ query }: Database): Store['requests'] {
  return {
    insert: async (request) => {
      const inserted = await query(
        'insert into requests (request_id, body) values ($1, $2) on conflict do nothing returning 1',
        [request.requestId, encode(request)],
      )
      return inserted.length > 0
    },
    find: async (requestId) => {
      const [row] = await query<Row>(
        `select body, status from requests
         where request_id = $1 and (status in ('open', 'committed') or closed_at > now_ms() - $2)`,
        [requestId, CLOSED_MEMORY_MS],
      )
      return row === undefined ? null : { request: decodeRequest(row.body), status: row.status }
    },
    close: async (requestId, status) => {
      const closed = await query(
        `update requests set status = $2, closed_at = ${nowFor('body')}, body = jsonb_set(body - 'standing', '{market,question}', 'null')
         where request_id = $1 and status = 'open' and pending_id is null returning 1`,
        [requestId, status],
      )
      return closed.length > 0
    },
    listOpen: async () => {
      const rows = await query<Row>(`select body, status from requests where status = 'open'`)
      return rows.map(({ body }) => decodeRequest(body))
    },
  }
}

/** A node has this long for its own work before another one does it, in milliseconds. */
const OVERDUE_GRACE_MS = 300
const ANNOUNCE_GRACE_MS = 1_500

const BATCH = 100

/** Rows that another node is working on are left to it. */
const END_OVERDUE = `
  with overdue as (
    select acceptance_id from acceptances where state = 'pending' and deadline + $1 <= now_ms()
    order by deadline limit $2 for update skip locked
  ), ended as (
    update acceptances a set state = 'timed_out', ended_at = now_ms()
    from overdue where a.acceptance_id = overdue.acceptance_id and a.state = 'pending' returning a.*
  ), freed as (
    update requests set pending_id = null from ended where requests.request_id = ended.request_id
  )
  select body, state from ended`

/** An end too old to be remembered is not announced. */
const UNANNOUNCED = `
  select request_id as "requestId", status from requests
  where status <> 'open' and not announced and closed_at between now_ms() - $1 and now_ms() - $2
  order by closed_at limit $3`

export const createTakeover = ({ query }: Database): Pick<Takeover, 'endOverdue' | 'unannounced'> => ({
  endOverdue: async () => (await query<AcceptanceRow>(END_OVERDUE, [OVERDUE_GRACE_MS, BATCH])).map(acceptanceOf),
  unannounced: (delayMs) =>
    query<{ requestId: string; status: ClosedStatus }>(UNANNOUNCED, [
      CLOSED_MEMORY_MS,
      ANNOUNCE_GRACE_MS + delayMs,
      BATCH,
    ]),
})
