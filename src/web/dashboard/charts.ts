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

/** Prices of a request between two times, Unix milliseconds: a dot per quote, and the best price at each change. */
export type PriceHistory = { dots: readonly PriceDot[]; bests: readonly PriceDot[]; from: number; to: number }

export const NO_PRICES = 'No quote yet: its price will appear here.'

/** Micro-dollars; null without prices. */
export function priceRange({ dots, bests }: PriceHistory): { low: number; high: number } | null {
  const prices = [...dots, ...bests].map((point) => Number(point.price))
  return prices.length === 0 ? null : { low: Math.min(...prices), high: Math.max(...prices) }
}

export function priceSentence({ dots, bests }: PriceHistory): string {
  const [first, last] = [bests[0], bests.at(-1)]
  if (first === undefined || last === undefined) return `${dots.length} quotes, none of them live.`
  return `Best price went from ${priceText(first.price)} to ${priceText(last.price)} over ${dots.length} quotes.`
}
