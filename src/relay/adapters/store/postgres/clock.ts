import type { Clock, Log, Stop } from '../../../core/ports/runtime.ts'
import { clockOf, LEAP_MS } from '../../clock.ts'
import type { Database } from './database.ts'
import { MACHINE_MS, nowMs, SLEW } from './schema/functions.ts'

export type DatabaseClock = Clock & { stop: Stop }

/**
 * The database's time by this machine's steady clock, in milliseconds. The clock of the database's machine is `offset`
 * ahead of the steady one, give or take `uncertainty`; the shared time was ahead of that clock by `ahead` when it
 * showed `since`.
 */
type Model = { offset: number; uncertainty: number; ahead: number; since: number }

export type Observed = { raw: number; ahead: number; since: number }

type Connected = Pick<Database, 'query' | 'transaction'>

/** Interval of comparisons, and the shorter one after a failed comparison, in milliseconds. */
const COMPARE_MS = 2_000

/** The fastest of this many comparisons counts: its round trip bounds its error. */
const SAMPLES = 3

/** Less than this behind, a clock was read late, in milliseconds. */
const BEHIND_MS = 1_000

/** Postgres's error for a missing table: the schema is not made yet, or is of a former version without the slew. */
const NO_TABLE = '42P01'

const OBSERVE = `select ${MACHINE_MS} as raw, ahead, since from clock_slew`

const CORRECT = `
  update clock_slew set ahead = $1::double precision - raw, since = raw from (select ${MACHINE_MS} as raw offset 0) machine
  returning raw, clock_slew.ahead, clock_slew.since`

/**
 * The time of the database in Unix milliseconds, off by half a round trip at most. All nodes share it, so that a
 * deadline that one sets by its clock is the one that the database judges, however wrong the machine's own clock is or
 * becomes (fault I9). Between comparisons it runs by the machine's steady clock, and it never goes back. Where the
 * database's own clock was set back, the first node to notice makes the database continue from here, for all, at half
 * speed until its clock is right (fault I15). Fails with `store_unavailable` when the database cannot be reached.
 */
export async function createDatabaseClock({
  database,
  log,
}: {
  database: Connected
  log: Log
}): Promise<DatabaseClock> {
  let model = await measure(database, null)
  let newest = 0
  let stopped = false

  function now(): number {
    newest = Math.max(newest, Math.floor(timeBy(model, performance.now())))
    return newest
  }

  async function compare(): Promise<void> {
    try {
      const found = await measure(database, model)
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

const timeBy = ({ offset, ...slew }: Model, steady: number): number => sharedTime({ ...slew, raw: steady + offset })

const sharedTime = ({ raw, ahead, since }: Observed): number => raw + Math.max(0, ahead - (raw - since) * SLEW)

/** Reads the database's clock, and passes the least time that it must show by what was known before. */
async function measure(database: Connected, before: Model | null): Promise<Model> {
  let best: Model | null = null
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const askedAt = performance.now()
    const { raw, ahead, since } = await observeClock(database, before && timeBy(before, askedAt) - before.uncertainty)
    const uncertainty = (performance.now() - askedAt) / 2
    if (best === null || uncertainty < best.uncertainty || since !== best.since)
      best = { offset: raw - askedAt - uncertainty, uncertainty, ahead, since }
  }
  return best as Model
}

/**
 * The clock of the database's machine, and by how much the shared time is ahead of it. `expected` is the least that the time must be:
 * where it is behind, it goes on from there for all nodes.
 */
export async function observeClock(database: Connected, expected: number | null): Promise<Observed> {
  try {
    const [seen] = await database.query<Observed>(OBSERVE)
    return isBehind(seen as Observed, expected) ? await correct(database, expected as number) : (seen as Observed)
  } catch (fault) {
    if ((fault as { code?: unknown }).code !== NO_TABLE) throw fault
    const [row] = await database.query<Observed>(`select ${MACHINE_MS} as raw, 0::float8 as ahead, 0::float8 as since`)
    return row as Observed
  }
}

const isBehind = (seen: Observed, expected: number | null): boolean =>
  expected !== null && expected - BEHIND_MS > sharedTime(seen)

/** The row is locked first: another node may have corrected it meanwhile. */
const correct = ({ transaction }: Connected, expected: number): Promise<Observed> =>
  transaction(async (query) => {
    const [seen] = await query<Observed>(`${OBSERVE} for update`)
    if (!isBehind(seen as Observed, expected)) return seen as Observed
    const [corrected] = await query<Observed>(CORRECT, [expected])
    const { ahead, since } = corrected as Observed
    await query(nowMs(`${ahead}`, `${since}`))
    return corrected as Observed
  })
