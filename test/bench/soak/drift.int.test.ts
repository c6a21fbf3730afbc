import { describe, expect, test } from 'vitest'
import { findDrift } from '../../../bench/soak/drift.ts'
import type { Interval, SoakRun } from '../../../bench/soak/intervals.ts'
import { trendOf } from '../../../bench/soak/trend.ts'

const steady: Interval = {
  atMs: 0,
  traded: 475,
  wentOn: 0,
  refused: 0,
  cancelled: 25,
  expired: 1,
  displaced: 1,
  skipped: 0,
  p50Ms: 8,
  p99Ms: 40,
  spareDescriptors: 23,
  connections: 650,
  residentBytes: 300e6,
  relayCpu: 0.7,
  loadCpu: 0.5,
  othersCpu: 0.1,
}

/** Ten minutes of 10 s slices, and a look at the heap each minute. */
const course = (slice: (i: number) => Partial<Interval>, liveBytes: (ended: number, i: number) => number): SoakRun => ({
  slices: Array.from({ length: 60 }, (_, i) => ({ ...steady, atMs: (i + 1) * 10_000, ...slice(i) })),
  heap: Array.from({ length: 11 }, (_, i) => ({
    atMs: i * 60_000,
    ended: i * 3_000,
    liveBytes: liveBytes(i * 3_000, i),
  })),
})

const flat = (ended: number) => 60e6 + ended * 900
const uneven = (given: SoakRun) => findDrift(given, 200).flatMap(({ figure, isFlat }) => (isFlat ? [] : [figure]))

/** The same wild numbers each time, in 0..1. */
const noise = (i: number) => ((i * 7_919) % 101) / 101

test('a soak that stays as it was is flat in every figure', () => {
  expect(
    findDrift(
      course(() => ({}), flat),
      200,
    ).map(({ figure, isFlat }) => [figure, isFlat]),
  ).toEqual([
    ['heap', true],
    ['descriptors', true],
    ['p99', true],
  ])
})

describe('the heap', () => {
  test('may keep what is accounted for of each request, and no more', () => {
    expect(
      uneven(
        course(
          () => ({}),
          (ended) => 60e6 + ended * 1_450,
        ),
      ),
    ).toEqual([])
    expect(
      uneven(
        course(
          () => ({}),
          (ended) => 60e6 + ended * 1_550,
        ),
      ),
    ).toEqual(['heap'])
  })

  test('may fill its rings first, however fast', () => {
    expect(
      uneven(
        course(
          () => ({}),
          (ended, i) => flat(ended) + (i === 0 ? -50e6 : 0),
        ),
      ),
    ).toEqual([])
  })

  test('may fill up with outcomes of quotes for longer, the fewer quotes there are', () => {
    const growing = course(
      () => ({}),
      (ended) => 60e6 + ended * 5_000,
    )
    expect(findDrift(growing, 200).map(({ figure }) => figure)).toContain('heap')
    expect(findDrift(growing, 10).map(({ figure }) => figure)).not.toContain('heap')
  })

  test('is not judged by a soak that ends before they are full', () => {
    const { slices, heap } = course(
      () => ({}),
      (ended) => ended * 1e6,
    )
    expect(findDrift({ slices, heap: heap.slice(0, 4) }, 200).map(({ figure }) => figure)).toEqual([
      'descriptors',
      'p99',
    ])
  })
})

describe('descriptors', () => {
  test('beside the connections must be as many as at first, but for files that are open just then', () => {
    const wavering = (i: number) => 23 + Math.round(6 * noise(i))
    expect(uneven(course((i) => ({ spareDescriptors: wavering(i) }), flat))).toEqual([])
    expect(uneven(course((i) => ({ spareDescriptors: wavering(i) + Math.floor(i / 5) }), flat))).toEqual([
      'descriptors',
    ])
  })

  test('may be as many as there are connections', () => {
    expect(uneven(course((i) => ({ connections: 650 + i * 100 }), flat))).toEqual([])
  })
})

describe('the p99', () => {
  test('may be bad for a while, at whatever time: that is the machine', () => {
    expect(uneven(course((i) => ({ p99Ms: i > 45 && i < 56 ? 900 : 40 + noise(i) }), flat))).toEqual([])
  })

  test('must not grow by more than a fifth, slowly or in a step', () => {
    expect(uneven(course((i) => ({ p99Ms: 40 + i * 0.1 + noise(i) }), flat))).toEqual([])
    expect(uneven(course((i) => ({ p99Ms: 40 + i * 0.2 + noise(i) }), flat))).toEqual(['p99'])
    expect(uneven(course((i) => ({ p99Ms: (i < 30 ? 40 : 60) + noise(i) }), flat))).toEqual(['p99'])
  })

  test('must have grown for sure: noise alone is no trend', () => {
    expect(uneven(course((i) => ({ p99Ms: 40 + 400 * noise(i) }), flat))).toEqual([])
  })
})

describe('a trend', () => {
  test('is the slope of a line, whatever a fifth of the points say', () => {
    const points = Array.from({ length: 20 }, (_, i): [number, number] => [i, i % 5 === 2 ? 1e6 : 3 * i])
    expect(trendOf(points)?.slope).toBeCloseTo(3, 0)
  })

  test('lies between two slopes that are the closer, the less the points scatter', () => {
    const scattered = trendOf(Array.from({ length: 30 }, (_, i): [number, number] => [i, i + 20 * noise(i)]))
    const close = trendOf(Array.from({ length: 30 }, (_, i): [number, number] => [i, i + noise(i)]))
    const width = (trend: typeof close) => (trend === null ? 0 : trend.high - trend.low)
    expect(width(scattered)).toBeGreaterThan(width(close))
    expect(scattered?.low).toBeLessThan(1)
    expect(scattered?.high).toBeGreaterThan(1)
  })

  test('needs three points', () => {
    expect(
      trendOf([
        [0, 1],
        [1, 2],
      ]),
    ).toBeNull()
  })
})
