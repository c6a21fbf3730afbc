import { describe, expect, it } from 'vitest'
import { priceUnder } from '../../../src/web/parts/charts/PayoffChart.tsx'
import { payoffShape } from '../../../src/web/parts/charts/payoff.ts'
import { raceShape } from '../../../src/web/parts/charts/race.ts'
import { dotPath, rangeOf, scaleOf, spaced, stepPath, ticksOf } from '../../../src/web/parts/charts/scale.ts'
import { windowShape } from '../../../src/web/parts/charts/window.ts'

/** The places of a path, as pairs of x and y. */
const placesOf = (path: string): number[][] =>
  [...path.matchAll(/[ML]([\d.-]+) ([\d.-]+)/g)].map(([, x, y]) => [Number(x), Number(y)])

describe('axes', () => {
  it('spread a range evenly, also upside down, and put a single value in the middle', () => {
    expect([0, 5, 10].map(scaleOf([0, 10], [0, 100]))).toEqual([0, 50, 100])
    expect([0, 5, 10].map(scaleOf([0, 10], [90, 10]))).toEqual([90, 50, 10])
    expect(scaleOf([7, 7], [0, 100])(7)).toBe(50)
  })

  it('have round ticks within their range, and no more than there is room for', () => {
    expect(ticksOf([0, 10], 5)).toEqual([0, 2, 4, 6, 8, 10])
    expect(ticksOf([0.0962, 0.1214], 3)).toEqual([0.1, 0.11, 0.12])
    expect(ticksOf([0.31, 0.58], 4)).toEqual([0.4, 0.5])
    for (const most of [1, 2, 3, 5, 8]) expect(ticksOf([0.123, 7.9], most).length).toBeLessThanOrEqual(most + 1)
    expect(ticksOf([3, 3], 5)).toEqual([])
  })

  it('leave room around values, and are never narrower than they should be', () => {
    expect(rangeOf([10, 20], { margin: 0.1, least: 1 })).toEqual([9, 21])
    expect(rangeOf([5], { margin: 0.1, least: 2 })).toEqual([4, 6])
    expect(rangeOf([], { margin: 0.1, least: 2 })).toEqual([0, 2])
  })

  it('have no labels that touch: the first of two stays', () => {
    expect(spaced([{ at: 50 }, { at: 60 }, { at: 30 }, { at: 64 }]).map(({ at }) => at)).toEqual([50, 30, 64])
  })

  it('a value holds until the next one', () => {
    expect(
      stepPath(
        [
          { x: 0, y: 10 },
          { x: 40, y: 30 },
        ],
        100,
      ),
    ).toBe('M0 10H40V30H100')
    expect(stepPath([], 100)).toBe('')
  })
})

describe('the payoff diagram', () => {
  const call = Array.from({ length: 101 }, (_, price) => ({
    price,
    profit: BigInt(Math.max(0, price - 50) - 10) * 10_000n,
  }))

  it('has gains above the line of no profit and losses below it, which meet on that line', () => {
    const { gain, loss, zeroY } = payoffShape(call)
    expect(placesOf(gain).every(([, y]) => (y ?? 0) <= zeroY + 0.01)).toBe(true)
    expect(placesOf(loss).every(([, y]) => (y ?? 0) >= zeroY - 0.01)).toBe(true)
    expect(placesOf(gain)).toContainEqual([60, Math.round(zeroY * 100) / 100])
  })

  it('crosses no profit where the straight line between two cents does', () => {
    const { gain, zeroY } = payoffShape([
      { price: 0, profit: -10n },
      { price: 10, profit: 30n },
    ])
    expect(placesOf(gain)).toContainEqual([25, Math.round(zeroY * 100) / 100])
  })

  it('shows no profit also where all is gain or all is loss', () => {
    const gains = payoffShape(call.map(({ price, profit }) => ({ price, profit: profit + 1_000_000n })))
    expect(gains.zeroY).toBe(94)
    expect(gains.loss).toBe('')
    const losses = payoffShape(call.map(({ price, profit }) => ({ price, profit: profit - 1_000_000n })))
    expect(losses.zeroY).toBe(6)
    expect(losses.gain).toBe('')
  })

  it('puts a price on its line', () => {
    const { placeOf, zeroY } = payoffShape(call)
    expect(placeOf(60)).toEqual({ x: 60, y: zeroY })
    expect(placeOf(100)).toEqual({ x: 100, y: 6 })
    expect(placeOf(0).y).toBe(94)
  })

  it('is empty without points', () => {
    expect(payoffShape([])).toMatchObject({ line: '', gain: '', loss: '' })
  })

  it('a pointer is over the price below it, and never beyond the ends', () => {
    expect([0, 150, 300, 400, -5].map((x) => priceUnder(x, 300))).toEqual([0, 50, 100, 100, 0])
    expect(priceUnder(10, 0)).toBe(0)
  })
})

describe('the race of quotes', () => {
  const quote = (at: number, price: bigint, isFirm = false) => ({ at, quoteId: `${price}`, price, isFirm })
  const quotes = [quote(1_400, 118_000n), quote(2_100, 110_000n, true), quote(3_000, 99_600n)]

  it('goes from the opening of the request to now, a dot a quote, lower prices lower', () => {
    const shape = raceShape(quotes, { openedAt: 1_000, now: 21_000 })
    expect(shape.seconds).toEqual([0, 20])
    expect(shape.dots.map(({ quoteId, isFirm }) => [quoteId, isFirm])).toEqual([
      ['118000', false],
      ['110000', true],
      ['99600', false],
    ])
    const [first, second, third] = shape.dots.map(({ place }) => place)
    expect(first?.x).toBeLessThan(second?.x ?? 0)
    expect(second?.y).toBeLessThan(third?.y ?? 0)
    expect(shape.leader).toEqual(third)
    expect(shape.best.endsWith(`H${shape.xOf(21_000)}`)).toBe(true)
  })

  it('has the bids below the asks, on the same axes', () => {
    const bids = [quote(2_000, 80_000n), quote(2_500, 93_000n)]
    const shape = raceShape(quotes, { openedAt: 1_000, now: 21_000, bids })
    expect(shape.bids.dots.map(({ quoteId }) => quoteId)).toEqual(['80000', '93000'])
    expect(shape.bids.leader?.y).toBeGreaterThan(shape.leader?.y ?? Number.POSITIVE_INFINITY)
    expect(shape.bids.best.endsWith(`H${shape.xOf(21_000)}`)).toBe(true)
    expect(shape.dollars[0]).toBeLessThan(0.08)
  })

  it('shows ten seconds at least, so that the first quotes do not fill it', () => {
    expect(raceShape(quotes, { openedAt: 1_000, now: 3_500 }).seconds).toEqual([0, 10])
  })

  it('without quotes it has axes, and no line', () => {
    expect(raceShape([], { openedAt: 0, now: 5_000 })).toMatchObject({ best: '', dots: [], leader: null })
  })
})

describe('the settlement window', () => {
  const points = [
    { t: 0, price: 0.5 },
    { t: 900, price: 0.6 },
  ]
  const averages = [
    { t: 0, price: 0.5 },
    { t: 900, price: 0.5 },
  ]

  it('draws the price until now, and its average with a tip', () => {
    const shape = windowShape({ points, averages }, { windowStart: 0, windowEnd: 1_800, until: 1_350 })
    expect(shape.prices.endsWith('H75')).toBe(true)
    expect(shape.tip).toEqual({ x: 50, y: shape.yOf(0.5) })
    expect(shape.yOf(0.6)).toBeLessThan(shape.yOf(0.5))
  })

  it('never leaves the prices that there can be, nor goes beyond the expiry', () => {
    const sure = windowShape(
      { points: [{ t: 0, price: 1 }], averages: [] },
      { windowStart: 0, windowEnd: 1_800, until: 9_999 },
    )
    expect(sure.dollars[1]).toBe(1)
    expect(sure.prices.endsWith('H100')).toBe(true)
  })
})

describe('dots', () => {
  it('are lines of no length, which stay round', () => {
    expect(dotPath({ x: 1.234, y: 5 })).toBe('M1.23 5h0')
  })
})
