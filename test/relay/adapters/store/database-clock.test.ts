import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createDatabaseClock } from '../../../../src/relay/adapters/store/postgres/clock.ts'
import type { Query } from '../../../../src/relay/adapters/store/postgres/database.ts'
import { createFakeLog } from '../../../support/fake-log.ts'

const HOUR_MS = 3_600_000
const START = Date.UTC(2026, 0, 1)

beforeEach(() => void vi.useFakeTimers({ now: START, toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** A database with a clock of its own, which can be set; it is told of times as Postgres is. */
function createFakeDatabase(aheadMs = 0) {
  let isThere = true
  const slew = { ahead: 0, since: 0 }
  const database = {
    aheadMs,
    raw: () => Date.now() + database.aheadMs,
    now: () => database.raw() + Math.max(0, slew.ahead - (database.raw() - slew.since) / 2),
    drop: () => {
      isThere = false
    },
    query: (async (sql: string, values: readonly unknown[] = []) => {
      if (!sql.includes('clock_slew')) return [{ raw: database.raw(), ahead: 0, since: 0 }]
      if (!isThere) throw Object.assign(new Error('no table'), { code: '42P01' })
      const [expected] = values as [number | undefined]
      if (expected !== undefined) Object.assign(slew, { ahead: expected - database.raw(), since: database.raw() })
      return [{ raw: database.raw(), ...slew }]
    }) as unknown as Query,
    transaction: <Result>(work: (query: Query) => Promise<Result>) => work(database.query),
  }
  return database
}

type FakeDatabase = Pick<ReturnType<typeof createFakeDatabase>, 'query' | 'transaction'>

const open = (database: FakeDatabase, log = createFakeLog()) => createDatabaseClock({ database, log })

it('tells the time of the database, however far off the machine is (fault I9)', async () => {
  for (const aheadMs of [-HOUR_MS, 0, HOUR_MS]) {
    const clock = await open(createFakeDatabase(aheadMs))
    await vi.advanceTimersByTimeAsync(5_000)
    expect(clock.now() - Date.now()).toBe(aheadMs)
    clock.stop()
  }
})

it('tells it also where the schema is still to be made', async () => {
  const database = createFakeDatabase(HOUR_MS)
  database.drop()
  const clock = await open(database)
  expect(clock.now()).toBe(START + HOUR_MS)
  clock.stop()
})

it('runs what was scheduled at a time of the database, and not before', async () => {
  const clock = await open(createFakeDatabase(HOUR_MS))
  const run = vi.fn()
  clock.schedule(clock.now() + 20, run)
  await vi.advanceTimersByTimeAsync(19)
  expect(run).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(run).toHaveBeenCalledOnce()
  clock.stop()
})

it('follows a database whose clock is set ahead, and says so once', async () => {
  const [database, log] = [createFakeDatabase(), createFakeLog()]
  const clock = await open(database, log)
  database.aheadMs = HOUR_MS
  await vi.advanceTimersByTimeAsync(10_000)
  expect(clock.now()).toBe(database.raw())
  expect(log.lines).toEqual([{ level: 'warn', event: 'clock_leapt', fields: { durationMs: HOUR_MS } }])
  clock.stop()
})

it('continues where the clock of the database is set back, at half speed until that has come up to it, and never back (fault I15)', async () => {
  const [database, log] = [createFakeDatabase(), createFakeLog()]
  const clocks = [await open(database, log), await open(database)]
  await vi.advanceTimersByTimeAsync(1_000)
  database.aheadMs = -60_000
  await vi.advanceTimersByTimeAsync(4_000)
  const before = clocks.map(({ now }) => now())
  const late = await open(database)
  await vi.advanceTimersByTimeAsync(20_000)
  for (const [index, clock] of clocks.entries()) {
    expect(clock.now() - (before[index] as number)).toBe(10_000)
    expect(clock.now()).toBe(late.now())
    expect(clock.now()).toBe(Math.floor(database.now()))
  }
  expect(log.lines).toEqual([{ level: 'warn', event: 'clock_leapt', fields: { durationMs: -60_000 } }])
  let last = late.now()
  for (let second = 0; second < 120; second += 1) {
    await vi.advanceTimersByTimeAsync(1_000)
    expect(late.now()).toBeGreaterThan(last)
    last = late.now()
  }
  for (const clock of [...clocks, late]) {
    expect(clock.now()).toBe(database.raw())
    clock.stop()
  }
})

it('stops for no more than two comparisons where another node was the first to notice (fault I15)', async () => {
  const database = createFakeDatabase()
  const first = await open(database)
  await vi.advanceTimersByTimeAsync(1_900)
  const second = await open(database)
  database.aheadMs = -HOUR_MS
  await vi.advanceTimersByTimeAsync(1_900)
  const before = second.now()
  await vi.advanceTimersByTimeAsync(4_000)
  expect(second.now()).toBeGreaterThan(before)
  expect(second.now()).toBe(first.now())
  for (const { stop } of [first, second]) stop()
})

it('fails when the database cannot be asked at the start', async () => {
  const query = (async () => Promise.reject(new Error('down'))) as unknown as Query
  await expect(open({ ...createFakeDatabase(), query })).rejects.toThrow('down')
})
