import { allPrices, type PriceHistory, priceRange } from '../dashboard/charts.ts'
import type { PriceDot } from '../dashboard/request-view.ts'
import { type Place, scaleOf } from '../parts/charts/scale.ts'

/** In hundredths. */
export const barHeights = (values: readonly number[]): number[] =>
  values.map(scaleOf([0, Math.max(1, ...values)], [0, 100]))

export function linePlaces(values: readonly number[]): Place[] {
  const x = scaleOf([0, values.length - 1], [0, 100])
  const y = scaleOf([Math.min(...values), Math.max(...values)], [100, 0])
  return values.map((value, i) => ({ x: x(i), y: y(value) }))
}

export function pricePlaces(history: PriceHistory): { dots: Place[]; bests: Place[]; bids: Place[] } | null {
  const { bests, bids, from, to } = history
  const range = priceRange(history)
  if (range === null) return null
  const x = scaleOf([from, Math.max(to, from + 1)], [0, 100])
  const y = scaleOf([range.low, range.high], [100, 0])
  const placesOf = (prices: readonly PriceDot[]) =>
    prices.map(({ at, price }) => ({ x: Math.min(100, Math.max(0, x(at))), y: y(Number(price)) }))
  return { dots: placesOf(allPrices(history)), bests: placesOf(bests), bids: placesOf(bids) }
}
