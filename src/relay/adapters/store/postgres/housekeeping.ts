import { repeat } from '@rfqctl/lib/repeat'
import { CLOSED_MEMORY_MS } from '@rfqctl/protocol/domain/limits'
import { MAX_WINDOW_MS } from '@rfqctl/protocol/domain/maker-protections'
import { OUTCOMES_KEPT_MS } from '@rfqctl/protocol/domain/maker-record'
import type { Clock, Log, Stop } from '../../../core/ports/runtime.ts'
import { AUDIT_MEMORY_MS, ENDED_MEMORY_MS } from '../journal/journal.ts'
import type { Database } from './database.ts'

/** How often, in milliseconds. No one is shown what is over, so that it only has to go some time. */
const INTERVAL_MS = 10 * 60_000

/** In this order: an acceptance goes before its request. */
const DELETIONS: readonly (readonly [sql: string, keptMs: number])[] = [
  [`delete from acceptances where state in ('timed_out', 'declined') and ended_at <= now_ms() - $1`, ENDED_MEMORY_MS],
  [
    `delete from requests r where status in ('expired', 'cancelled') and closed_at <= now_ms() - $1
       and not exists (select from acceptances a where a.request_id = r.request_id)`,
    ENDED_MEMORY_MS,
  ],
  // No one is told of it any more: most of those that strangers open and let go.
  [
    `delete from requests r where status in ('expired', 'cancelled') and announced and closed_at <= now_ms() - $1
       and not exists (select from acceptances a where a.request_id = r.request_id)`,
    2 * CLOSED_MEMORY_MS,
  ],
  // A node of a former version leaves them.
  ['delete from api_keys where revoked_at <= now_ms() - $1', ENDED_MEMORY_MS],
  ['delete from rejections where at <= now_ms() - $1', ENDED_MEMORY_MS],
  ['delete from counted_acceptances where at <= now_ms() - $1', MAX_WINDOW_MS],
  ['delete from maker_outcomes where at <= now_ms() - $1', OUTCOMES_KEPT_MS],
  [`delete from maker_suspensions where strikes = 0 and until_ms <= now_ms() - $1`, OUTCOMES_KEPT_MS],
  ['delete from audit where at <= now_ms() - $1', AUDIT_MEMORY_MS],
]

/**
 * How many entries of requests that came to nothing are kept, and how many go at a time: within what a statement may take.
 * Those of a trade stay until their time is over, whatever others write.
 */
const UNTRADED_ENTRIES = 400_000
const ENTRIES_AT_ONCE = 20_000

const FREE_UNTRADED = `
  delete from audit where seq in (
    select a.seq from audit a
    where a.seq <= (select max(seq) from audit) - $1
      and not exists (select from executions e where e.request_id = a.request_id)
    order by a.seq limit $2
  ) returning 1`

/** The nonces of a request that is over are never asked for again. */
const FREE_ALLOTMENTS = `
  delete from allotments a using requests r where r.request_id = a.request_id and r.status <> 'open'`

/** What makers are suspended for counts for as long as they do not trade: of very many, those that ended first go. */
const SUSPENSIONS_KEPT = 10_000
const FREE_SUSPENSIONS = `
  delete from maker_suspensions where maker_id in (
    select maker_id from maker_suspensions where until_ms <= now_ms() order by until_ms desc offset $1
  )`

/** Deletes what is too old to be asked for, now. */
export async function tidy({ query }: Database, untraded = UNTRADED_ENTRIES): Promise<void> {
  await query(FREE_ALLOTMENTS)
  for (const [sql, keptMs] of DELETIONS) await query(sql, [keptMs])
  await query(FREE_SUSPENSIONS, [SUSPENSIONS_KEPT])
  let freed: number
  do freed = (await query(FREE_UNTRADED, [untraded, ENTRIES_AT_ONCE])).length
  while (freed === ENTRIES_AT_ONCE)
}

/** Tidies again and again. Several nodes may do so at the same time; a fault is logged, the next round does the rest. */
export const keepTidy = (database: Database, parts: { clock: Clock; log: Log }): Stop =>
  repeat(parts, { event: 'store_tidy_failed', pauseMs: INTERVAL_MS, work: () => tidy(database), first: 'later' })
