import type { Clock, Log, Stop } from '../../../relay/ports/runtime.ts'
import type { Query } from './database.ts'

/** A clock that follows a database's, until it is stopped. */
export type DatabaseClock = Clock & { stop: Stop }

/** How often the two are compared, in milliseconds; and soon after a comparison that failed. */
const COMPARE_MS = 10_000

/** The best of so many comparisons is taken: the shorter a question took, the less its answer can be off. */
const SAMPLES = 5

/** The longest delay that `setTimeout` takes; it fires at once beyond that. */
const MAX_DELAY_MS = 2 ** 31 - 1

/**
 * The time of the database in Unix milliseconds, off by half a round trip at most. All nodes share it, so that a deadline
 * that one sets by its clock is the one that the database judges, however wrong the machine's own clock is or becomes
 * (fault I9). Between comparisons it runs by the machine's steady clock, and it never goes back.
 * Fails with `store_unavailable` when the database cannot be reached.
 */
export async function createDatabaseClock({ query, log }: { query: Query; log: Log }): Promise<DatabaseClock> {
  let offset = await measure(query)
  let newest = 0
  let stopped = false

  function now(): number {
    newest = Math.max(newest, Math.floor(performance.now() + offset))
    return newest
  }

  function schedule(at: number, run: () => void): Stop {
    let timer: NodeJS.Timeout
    const arm = () => {
      timer = setTimeout(fire, Math.min(Math.max(at - now(), 0), MAX_DELAY_MS)).unref()
    }
    const fire = () => (now() < at ? arm() : run())
    arm()
    return () => clearTimeout(timer)
  }

  async function compare(): Promise<void> {
    try {
      offset = await measure(query)
    } catch (fault) {
      if (!stopped) log.warn('database_clock_not_read', { fault })
    }
    arm()
  }

  let timer: NodeJS.Timeout | undefined
  const arm = () => {
    if (!stopped) timer = setTimeout(() => void compare(), COMPARE_MS).unref()
  }
  arm()

  return {
    now,
    schedule,
    afterTurn: (run) => void setImmediate(run),
    stop: () => {
      stopped = true
      clearTimeout(timer)
    },
  }
}

/** How far the database's clock is ahead of this machine's steady one, in milliseconds. */
async function measure(query: Query): Promise<number> {
  let best = { tookMs: Number.POSITIVE_INFINITY, offset: 0 }
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const askedAt = performance.now()
    const [row] = await query<{ now: number }>('select extract(epoch from clock_timestamp())::float8 * 1000 as now')
    const tookMs = performance.now() - askedAt
    if (tookMs < best.tookMs) best = { tookMs, offset: (row as { now: number }).now - askedAt - tookMs / 2 }
  }
  return best.offset
}
