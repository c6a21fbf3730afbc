import { repeat } from '@rfqctl/lib/repeat'
import { CLOSED_MEMORY_MS } from '@rfqctl/protocol/domain/limits'
import { MAX_WINDOW_MS } from '@rfqctl/protocol/domain/maker-protections'
import { OUTCOMES_KEPT_MS } from '@rfqctl/protocol/domain/maker-record'
import type { Clock, Log, Stop } from '../../../core/ports/runtime.ts'
import { AUDIT_MEMORY_MS, ENDED_MEMORY_MS } from '../journal/journal.ts'
import type { Database } from './database.ts'

/** Milliseconds. Outdated rows are never shown, so their deletion is not urgent. */
const INTERVAL_MS = 10 * 60_000

/** Lifetime of records of the transparency log: a year. */
const LOG_MEMORY_MS = 365 * 24 * 3_600_000

/** In this order: an acceptance is deleted before its request. */
const DELETIONS: readonly (readonly [sql: string, keptMs: number])[] = [
  [`delete from acceptances where state in ('timed_out', 'declined') and ended_at <= now_ms() - $1`, ENDED_MEMORY_MS],
  [
    `delete from requests r where status in ('expired', 'cancelled') and closed_at <= now_ms() - $1
       and not exists (select from acceptances a where a.request_id = r.request_id)`,
    ENDED_MEMORY_MS,
  ],
  // Announced and closed long ago: most requests that strangers open and abandon.
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
  // Tiles and commitments stay: what is proved of the log goes on.
  ['delete from log_leaves where at <= now_ms() - $1', LOG_MEMORY_MS],
]

/**
 * Bound on entries of requests without a trade, and deletions per statement, within its time limit. Entries of a trade
 * stay for their full lifetime, whatever others write.
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

const FREE_UNTRADED_LEAVES = `
  delete from log_leaves where index in (
    select l.index from log_leaves l
    where l.index <= (select max(index) from log_leaves) - $1
      and not exists (select from executions e where e.request_id = l.request_id)
    order by l.index limit $2
  ) returning 1`

/** The nonces of a closed request are never needed again. */
const FREE_ALLOTMENTS = `
  delete from allotments a using requests r where r.request_id = a.request_id and r.status <> 'open'`

/** A suspension counts until its maker trades: beyond the bound those that ended first are deleted. */
const SUSPENSIONS_KEPT = 10_000
const FREE_SUSPENSIONS = `
  delete from maker_suspensions where maker_id in (
    select maker_id from maker_suspensions where until_ms <= now_ms() order by until_ms desc offset $1
  )`

export async function tidy({ query }: Database, untraded = UNTRADED_ENTRIES): Promise<void> {
  await query(FREE_ALLOTMENTS)
  for (const [sql, keptMs] of DELETIONS) await query(sql, [keptMs])
  await query(FREE_SUSPENSIONS, [SUSPENSIONS_KEPT])
  for (const sql of [FREE_UNTRADED, FREE_UNTRADED_LEAVES]) {
    let freed: number
    do freed = (await query(sql, [untraded, ENTRIES_AT_ONCE])).length
    while (freed === ENTRIES_AT_ONCE)
  }
}

/** Several nodes may do this at the same time; a fault is logged, and the next round does the rest. */
export const keepTidy = (database: Database, parts: { clock: Clock; log: Log }): Stop =>
  repeat(parts, { event: 'store_tidy_failed', pauseMs: INTERVAL_MS, work: () => tidy(database), first: 'later' })
