import { expect, it } from 'vitest'
import { createDatabaseClock } from '../../../src/adapters/store/postgres/clock.ts'
import type { Query } from '../../../src/adapters/store/postgres/database.ts'
import { createFakeLog } from '../../support/fake-log.ts'

const HOUR_MS = 3_600_000

/** A database whose clock differs from this machine's by `aheadMs`. */
const databaseAhead = (aheadMs: number): Query => (async () => [{ now: Date.now() + aheadMs }]) as unknown as Query

it('tells the time of the database, however far off the machine is (fault I9)', async () => {
  for (const aheadMs of [-HOUR_MS, 0, HOUR_MS]) {
    const clock = await createDatabaseClock({ query: databaseAhead(aheadMs), log: createFakeLog() })
    const differenceMs = clock.now() - Date.now()
    expect(Math.abs(differenceMs - aheadMs)).toBeLessThan(HOUR_MS / 2)
    clock.stop()
  }
})

it('runs what was scheduled at a time of the database, and not before', async () => {
  const clock = await createDatabaseClock({ query: databaseAhead(HOUR_MS), log: createFakeLog() })
  const at = clock.now() + 20
  const ranAt = await new Promise<number>((resolve) => clock.schedule(at, () => resolve(clock.now())))
  expect(ranAt).toBeGreaterThanOrEqual(at)
  clock.stop()
})

it('fails when the database cannot be asked at the start', async () => {
  const query = (async () => Promise.reject(new Error('down'))) as unknown as Query
  await expect(createDatabaseClock({ query, log: createFakeLog() })).rejects.toThrow('down')
})
