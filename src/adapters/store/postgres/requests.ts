import { CLOSED_MEMORY_MS } from '../../../domain/limits.ts'
import type { QuoteRequest, RequestStatus } from '../../../domain/request.ts'
import type { Store } from '../../../relay/ports/store.ts'
import { decodeRequest, type Encoded, encodeRequest } from '../codec.ts'
import type { Database } from './database.ts'

type Row = { body: Encoded<QuoteRequest>; status: RequestStatus }

/** The requests of a store, one row each until a while after their end. */
export function createRequests({ query }: Database): Store['requests'] {
  return {
    insert: async (request) => {
      // Repeating an insert whose answer was lost is no fault: the id is the request's own.
      await query('insert into requests (request_id, body) values ($1, $2) on conflict do nothing', [
        request.requestId,
        encodeRequest(request),
      ])
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
        `update requests set status = $2, closed_at = now_ms(), body = jsonb_set(body, '{market,question}', 'null')
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
