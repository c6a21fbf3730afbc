import { expect, test } from 'vitest'
import { createQualityReader } from '../../../../src/relay/adapters/transparency/quality-reader.ts'
import type { StoredLeaf } from '../../../../src/relay/adapters/transparency/storage.ts'
import { createFakeClock } from '../../../support/fake-clock.ts'

const MONTH = '2026-01'

/** A log in which one maker misses again and again. */
function fixture(size: number) {
  const clock = createFakeClock()
  const log = { size, reads: 0 }
  const text = (number: number) =>
    JSON.stringify({
      number,
      previous: null,
      entry: { kind: 'missed', at: new Date(clock.now()).toISOString(), requestId: 'r', makerId: 'ada', quoteId: 'q' },
    })
  const leavesFrom = async (index: number, limit: number): Promise<StoredLeaf[]> => {
    log.reads += 1
    const count = Math.max(0, Math.min(limit, log.size - index))
    return Array.from({ length: count }, (_, i) => ({ index: index + i, text: text(index + i) }))
  }
  return { clock, log, read: createQualityReader({ storage: { leavesFrom }, clock }) }
}

const missed = ({ makers }: Awaited<ReturnType<ReturnType<typeof createQualityReader>>>) => makers[0]?.quality.missed

test('reads nothing without a reader, and new leaves at most once in five seconds', async () => {
  const { clock, log, read } = fixture(150)
  expect(log.reads).toBe(0)
  expect(missed(await read(MONTH))).toBe(150)
  log.size = 170
  expect(await read(MONTH)).toMatchObject({ from: 0, to: 150 })
  expect(log.reads).toBe(1)
  await clock.advance(5_000)
  expect(await read(MONTH)).toMatchObject({ from: 0, to: 170 })
})

test('a long log is read in turns; a reader does not wait for all of it', async () => {
  const { clock, read } = fixture(25_000)
  const first = read(MONTH)
  await clock.advance(2_000)
  const { to } = await first
  expect(to).toBeGreaterThan(10_000)
  expect(to).toBeLessThan(25_000)
  await clock.advance(1_000)
  expect(missed(await read(MONTH))).toBe(25_000)
})

test('a log that cannot be read now is read later, from where it was', async () => {
  const { clock, log, read } = fixture(10)
  await read(MONTH)
  await clock.advance(5_000)
  const failing = createQualityReader({
    storage: { leavesFrom: () => Promise.reject(new Error('down')) },
    clock,
  })
  await expect(failing(MONTH)).rejects.toThrow('down')
  log.size = 12
  expect(missed(await read(MONTH))).toBe(12)
})

test('an empty log has no maker', async () => {
  expect(await fixture(0).read(MONTH)).toEqual({ from: 0, to: 0, makers: [] })
})

test('figures are put together once, however many readers there are, until there are new leaves', async () => {
  const { clock, log, read } = fixture(10)
  const first = await read(MONTH)
  expect(await read(MONTH)).toBe(first)
  await clock.advance(5_000)
  expect(await read(MONTH)).toBe(first)
  log.size = 11
  await clock.advance(5_000)
  expect(missed(await read(MONTH))).toBe(11)
})
