import { expect, test } from 'vitest'
import { createSegments } from '../../../../src/relay/adapters/store/file/segments.ts'
import type { JournalRow } from '../../../../src/relay/adapters/store/journal/rows.ts'
import { createFakeDisk } from '../../../support/fake-disk.ts'

const rejected = (requestId: string): JournalRow => ({
  kind: 'rejected',
  rejection: { makerId: 'ada', requestId, quoteId: 'q', reason: 'another_quote_won' },
  at: 1,
})

const priced = (t: number): JournalRow => ({ kind: 'priced', yesTokenId: '7', point: { t, p: 0.5 } })

async function openSegments(fullBytes: number) {
  const disk = createFakeDisk()
  await disk.makeDir('segments')
  const segments = createSegments({ disk, dir: 'segments', saved: [], fullBytes })
  const locations: number[] = []
  return {
    segments,
    locations,
    add: async (...rows: JournalRow[]) => {
      const append = await segments.append(rows, 1)
      await append.written()
      await segments.accept(append)
      locations.push(...append.rows.map(({ location }) => location))
    },
  }
}

test('a row is found by its location, however long it is, also as the last of its file', async () => {
  const { segments, locations, add } = await openSegments(1e6)
  const rows = [rejected('short'), rejected('x'.repeat(4_000)), rejected('y'.repeat(40_000)), rejected('last')]
  for (const row of rows) await add(row)
  expect(await Promise.all(locations.map(segments.load))).toEqual(rows)
})

test('locations are distinct by file, of one family and of several', async () => {
  const { segments, locations, add } = await openSegments(1)
  const rows = [rejected('a'), priced(1), rejected('b'), priced(2)]
  for (const row of rows) await add(row)
  expect(new Set(locations).size).toBe(4)
  expect(await Promise.all(locations.map(segments.load))).toEqual(rows)
})

test('the newest sixteen files of rejections are kept, and the content of others is gone', async () => {
  const { segments, locations, add } = await openSegments(1)
  for (let n = 0; n < 20; n += 1) await add(rejected(`r${n}`))
  const found = await Promise.all(locations.map(segments.load))
  expect(found.map((row) => row !== null)).toEqual([...Array(4).fill(false), ...Array(16).fill(true)])
})

test('an append of many rows is split into files that are full by their bytes, so that so many files are so many bytes', async () => {
  const { segments, locations, add } = await openSegments(10_000)
  const rows = Array.from({ length: 100 }, (_, n) => rejected(`${n} ${'x'.repeat(900)}`))
  await add(...rows)
  const sizes = segments.extents().map(({ bytes }) => bytes)
  expect(sizes.length).toBeGreaterThan(9)
  expect(Math.max(...sizes)).toBeLessThan(11_500)
  expect(await Promise.all(locations.map(segments.load))).toEqual(rows)
})

test('entries of trades in the audit log are carried over when its file makes room', async () => {
  const disk = createFakeDisk()
  await disk.makeDir('segments')
  const segments = createSegments({ disk, dir: 'segments', saved: [], fullBytes: 1 })
  const audited = (requestId: string, at: number) =>
    ({ kind: 'audited', entry: { requestId, at, kind: 'closed', status: 'cancelled' } }) as JournalRow
  const write = async (...rows: JournalRow[]) => {
    const append = await segments.append(rows, 1, { isOfTrade: (requestId) => requestId === 'trade' })
    await append.written()
    await segments.accept(append)
    return append.rows.filter(({ file }) => file.family === 'trades').map(({ row }) => row)
  }
  await write(audited('trade', 1))
  await write(audited('nothing', 2))
  const carried = []
  for (let at = 3; at < 30; at += 1) carried.push(...(await write(audited('flood', at))))
  expect(carried).toEqual([audited('trade', 1)])
  const left = []
  for await (const { row } of segments.scan()) left.push(row.kind === 'audited' ? row.entry.requestId : row.kind)
  expect([left.filter((id) => id === 'trade').length, left.includes('nothing')]).toEqual([1, false])
})
