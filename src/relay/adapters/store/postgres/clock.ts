import type { Clock, Log, Stop } from '../../../core/ports/runtime.ts'
import { clockOf, LEAP_MS } from '../../clock.ts'
import type { Query } from './database.ts'

export type DatabaseClock = Clock & { stop: Stop }

/**
 * The database's time by this machine's steady clock, in milliseconds. The clock of the database's machine is `offset`
 * ahead of the steady one, give or take `uncertainty`; the shared time was ahead of that clock by `ahead` when it
 * showed `since`.
 */
type Model = { offset: number; uncertainty: number; ahead: number; since: number }

type Observed = { raw: number; ahead: number; since: number }

/** Interval of comparisons, and the shorter one after a failed comparison, in milliseconds. */
const COMPARE_MS = 2_000

/** The fastest of this many comparisons counts: its round trip bounds its error. */
const SAMPLES = 3

/** The speed of the shared time while it is ahead, as in `observe_clock`. */
const SLEW = 0.5

/** Postgres's error for a missing function: the schema is not made yet, or is of a former version without the slew. */
const NO_FUNCTION = '42883'

/**
 * The time of the database in Unix milliseconds, off by half a round trip at most. All nodes share it, so that a
 * deadline that one sets by its clock is the one that the database judges, however wrong the machine's own clock is or
 * becomes (fault I9). Between comparisons it runs by the machine's steady clock, and it never goes back. Where the
 * database's own clock was set back, the first node to notice makes the database continue from here, for all, at half
 * speed until its clock is right (fault I15). Fails with `store_unavailable` when the database cannot be reached.
 */
export async function createDatabaseClock({ query, log }: { query: Query; log: Log }): Promise<DatabaseClock> {
  let model = await measure(query, null)
  let newest = 0
  let stopped = false

  function now(): number {
    newest = Math.max(newest, Math.floor(timeBy(model, performance.now())))
    return newest
  }

  async function compare(): Promise<void> {
    try {
      const found = await measure(query, model)
      const leaptMs = found.offset - model.offset
      if (Math.abs(leaptMs) >= LEAP_MS + found.uncertainty + model.uncertainty)
        log.warn('clock_leapt', { durationMs: Math.round(leaptMs) })
      model = found
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
    ...clockOf(now),
    stop: () => {
      stopped = true
      clearTimeout(timer)
    },
  }
}

function timeBy({ offset, ahead, since }: Model, steady: number): number {
  const raw = steady + offset
  return raw + Math.max(0, ahead - (raw - since) * SLEW)
}

/** Reads the database's clock, and passes the least time that it must show by what was known before. */
async function measure(query: Query, before: Model | null): Promise<Model> {
  let best: Model | null = null
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const askedAt = performance.now()
    const { raw, ahead, since } = await observe(query, before && timeBy(before, askedAt) - before.uncertainty)
    const uncertainty = (performance.now() - askedAt) / 2
    if (best === null || uncertainty < best.uncertainty || since !== best.since)
      best = { offset: raw - askedAt - uncertainty, uncertainty, ahead, since }
  }
  return best as Model
}

async function observe(query: Query, expected: number | null): Promise<Observed> {
  try {
    const [row] = await query<Observed>('select raw, ahead, since from observe_clock($1)', [expected])
    return row as Observed
  } catch (fault) {
    if ((fault as { code?: unknown }).code !== NO_FUNCTION) throw fault
    const [row] = await query<Observed>(
      'select extract(epoch from clock_timestamp())::float8 * 1000 as raw, 0::float8 as ahead, 0::float8 as since',
    )
    return row as Observed
  }
}
