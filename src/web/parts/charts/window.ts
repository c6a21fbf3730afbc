import { linePath, type Place, type Range, rangeOf, scaleOf, stepPath } from './scale.ts'

/** A price at a time: Unix seconds, dollars. */
export type PriceAt = { t: number; price: number }

/** The prices of a settlement window, in hundredths of its width and height. */
export type WindowShape = {
  /** The price, which holds until the next one. */
  prices: string
  /** The average of all prices so far. */
  average: string
  /** Where the average is now; null without a price. */
  tip: Place | null
  dollars: Range
  xOf: (t: number) => number
  yOf: (dollars: number) => number
}

/** The least range of prices, dollars. */
const LEAST_DOLLARS = 0.04

/** The shape of a window's prices. `until` is how far they go now, Unix seconds: the end of the window, or the time. */
export function windowShape(
  { points, averages }: { points: readonly PriceAt[]; averages: readonly PriceAt[] },
  { windowStart, windowEnd, until }: { windowStart: number; windowEnd: number; until: number },
): WindowShape {
  const xOf = scaleOf([windowStart, windowEnd], [0, 100])
  const values = [...points, ...averages].map(({ price }) => price)
  const [low, high] = rangeOf(values, { margin: 0.15, least: LEAST_DOLLARS })
  const dollars: Range = [Math.max(0, low), Math.min(1, high)]
  const yOf = scaleOf(dollars, [95, 5])
  const placesOf = (line: readonly PriceAt[]) => line.map(({ t, price }) => ({ x: xOf(t), y: yOf(price) }))
  const end = xOf(Math.min(windowEnd, Math.max(until, points.at(-1)?.t ?? windowStart)))
  const average = placesOf(averages)
  return {
    prices: stepPath(placesOf(points), end),
    average: linePath(average),
    tip: average.at(-1) ?? null,
    dollars,
    xOf,
    yOf,
  }
}
