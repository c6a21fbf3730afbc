import { linePath, type Range, rangeOf, scaleOf, stepPath } from './scale.ts'

/** Unix seconds, dollars. */
export type PriceAt = { t: number; price: number }

/** In hundredths of the width and height. */
export type WindowShape = ReturnType<typeof windowShape>

/** Narrowest range of prices, dollars. */
const LEAST_DOLLARS = 0.04

/** `until`, Unix seconds, is the end of the window or the current time; `levels` are prices that should be in sight, too. */
export function windowShape(
  {
    points,
    averages = [],
    levels = [],
  }: { points: readonly PriceAt[]; averages?: readonly PriceAt[]; levels?: readonly number[] },
  { windowStart, windowEnd, until }: { windowStart: number; windowEnd: number; until: number },
) {
  const xOf = scaleOf([windowStart, windowEnd], [0, 100])
  const values = [...[...points, ...averages].map(({ price }) => price), ...levels]
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
