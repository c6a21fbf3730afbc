import { expect, test } from 'vitest'
import { createSegments } from '../../../src/adapters/store/file/segments.ts'
import type { JournalRow } from '../../../src/adapters/store/journal/rows.ts'
import { createFakeDisk } from '../../support/fake-disk.ts'

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
  const places: number[] = []
  return {
    segments,
    places,
    add: async (...rows: JournalRow[]) => {
      const append = await segments.append(rows, 1)
      await segments.accept(append)
      places.push(...append.rows.map(({ place }) => place))
    },
  }
}

test('a row is found by its place, however long it is, also as the last of its file', async () => {
  const { segments, places, add } = await openSegments(1e6)
  const rows = [rejected('short'), rejected('x'.repeat(4_000)), rejected('y'.repeat(40_000)), rejected('last')]
  for (const row of rows) await add(row)
  expect(await Promise.all(places.map(segments.load))).toEqual(rows)
})

test('places are told apart by file, of one family and of several', async () => {
  const { segments, places, add } = await openSegments(1)
  const rows = [rejected('a'), priced(1), rejected('b'), priced(2)]
  for (const row of rows) await add(row)
  expect(new Set(places).size).toBe(4)
  expect(await Promise.all(places.map(segments.load))).toEqual(rows)
})

test('of rejections the newest sixteen files are kept, and what was in others is found no more', async () => {
  const { segments, places, add } = await openSegments(1)
  for (let n = 0; n < 20; n += 1) await add(rejected(`r${n}`))
  const found = await Promise.all(places.map(segments.load))
  expect(found.map((row) => row !== null)).toEqual([...Array(4).fill(false), ...Array(16).fill(true)])
})
