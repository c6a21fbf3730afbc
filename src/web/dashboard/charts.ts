import { latency, priceText } from '@rfqctl/lib/format'
import type { PriceDot } from './request-view.ts'

export type LatencyClass = { label: string; count: number }

/** Upper bounds, milliseconds; the last class has none. */
const LATENCY_CLASSES_MS = [50, 100, 250, 500, 1_000, 2_500, 5_000]

export function latencyClasses(waits: readonly number[]): LatencyClass[] {
  const ends = [...LATENCY_CLASSES_MS, Number.POSITIVE_INFINITY]
  return ends.map((end, i) => ({
    label: end === Number.POSITIVE_INFINITY ? `>= ${latency(ends[i - 1] as number)}` : `< ${latency(end)}`,
    count: waits.filter((wait) => wait < end && wait >= (ends[i - 1] ?? 0)).length,
  }))
}

export const latencySentence = (classes: readonly LatencyClass[]): string =>
  `${classes.flatMap(({ label, count }) => (count === 0 ? [] : [`${count} took ${label}`])).join(', ')}.`

export const NO_WAITS = 'No maker has confirmed yet.'

/**
 * Prices of a request between two times, Unix milliseconds: a dot per quote and price, and the best price at each change. `bids` are the
 * best ones to sell to, of a request for both sides.
 */
export type PriceHistory = {
  dots: readonly PriceDot[]
  bests: readonly PriceDot[]
  bids: readonly PriceDot[]
  from: number
  to: number
}

/** The prices of all quotes, each at its time. */
export const allPrices = ({ dots }: Pick<PriceHistory, 'dots'>): readonly PriceDot[] =>
  dots.flatMap(({ at, price, bid }) =>
    bid === undefined
      ? [{ at, price }]
      : [
          { at, price },
          { at, price: bid },
        ],
  )

export const NO_PRICES = 'No quote yet: its price will appear here.'

/** Micro-dollars; null without prices. */
export function priceRange(history: PriceHistory): { low: number; high: number } | null {
  const prices = [...allPrices(history), ...history.bests, ...history.bids].map((point) => Number(point.price))
  return prices.length === 0 ? null : { low: Math.min(...prices), high: Math.max(...prices) }
}

export function priceSentence({ dots, bests, bids }: PriceHistory): string {
  const [first, last] = [bests[0], bests.at(-1)]
  const [bid, lastBid] = [bids[0], bids.at(-1)]
  if (first === undefined || last === undefined) return `${dots.length} quotes, none of them live.`
  if (bid !== undefined && lastBid !== undefined)
    return `Best bid went from ${priceText(bid.price)} to ${priceText(lastBid.price)}, best ask from ${priceText(first.price)} to ${priceText(last.price)}, over ${dots.length} quotes.`
  return `Best price went from ${priceText(first.price)} to ${priceText(last.price)} over ${dots.length} quotes.`
}
