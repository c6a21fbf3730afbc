import { CLOSED_MEMORY_MS } from '../../../domain/limits.ts'
import type { ClosedStatus } from '../../../domain/request.ts'
import type { Takeover } from '../../../relay/ports/live.ts'
import { type AcceptanceRow, acceptanceOf } from './acceptances.ts'
import type { Database } from './database.ts'

/** How long a node has for its own work before another one does it, in milliseconds. */
const OVERDUE_GRACE_MS = 300
const ANNOUNCE_GRACE_MS = 1_500

/** What one round takes at most. */
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

/** What ended longer ago than anyone remembers is told to no one. */
const UNANNOUNCED = `
  select request_id as "requestId", status from requests
  where status <> 'open' and not announced and closed_at between now_ms() - $1 and now_ms() - $2
  order by closed_at limit $3`

/** What nodes on one database leave to each other. */
export const createTakeover = ({ query }: Database): Pick<Takeover, 'endOverdue' | 'unannounced'> => ({
  endOverdue: async () => (await query<AcceptanceRow>(END_OVERDUE, [OVERDUE_GRACE_MS, BATCH])).map(acceptanceOf),
  unannounced: () =>
    query<{ requestId: string; status: ClosedStatus }>(UNANNOUNCED, [CLOSED_MEMORY_MS, ANNOUNCE_GRACE_MS, BATCH]),
})
