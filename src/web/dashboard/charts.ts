import { latency, priceText } from '@rfqctl/lib/format'
import type { PriceDot } from './request-view.ts'

/** A class of confirm latencies, and how many fell into it. */
export type LatencyClass = { label: string; count: number }

/** The upper ends of the classes of confirm latencies, milliseconds; the last class has none. */
const LATENCY_CLASSES_MS = [50, 100, 250, 500, 1_000, 2_500, 5_000]

/** How long confirmations took, from the quickest class on. */
export function latencyClasses(waits: readonly number[]): LatencyClass[] {
  const ends = [...LATENCY_CLASSES_MS, Number.POSITIVE_INFINITY]
  return ends.map((end, i) => ({
    label: end === Number.POSITIVE_INFINITY ? `>= ${latency(ends[i - 1] as number)}` : `< ${latency(end)}`,
    count: waits.filter((wait) => wait < end && wait >= (ends[i - 1] ?? 0)).length,
  }))
}

/** The same as a sentence. */
export const latencySentence = (classes: readonly LatencyClass[]): string =>
  `${classes.flatMap(({ label, count }) => (count === 0 ? [] : [`${count} took ${label}`])).join(', ')}.`

/** What stands in place of the histogram. */
export const NO_WAITS = 'No maker has confirmed yet.'

/** The prices of a request between two moments, Unix milliseconds: every quote as a dot, the best whenever it changed. */
export type PriceHistory = {
  dots: readonly PriceDot[]
  bests: readonly PriceDot[]
  from: number
  to: number
}

/** What stands in place of a chart of prices. */
export const NO_PRICES = 'No quote yet: its price will appear here.'

/** The least and the greatest price of a chart, micro-dollars; null where there is none. */
export function priceRange({ dots, bests }: PriceHistory): { low: number; high: number } | null {
  const prices = [...dots, ...bests].map((point) => Number(point.price))
  return prices.length === 0 ? null : { low: Math.min(...prices), high: Math.max(...prices) }
}

/** The chart as a sentence. */
export function priceSentence({ dots, bests }: PriceHistory): string {
  const [first, last] = [bests[0], bests.at(-1)]
  if (first === undefined || last === undefined) return `${dots.length} quotes, none of them live.`
  return `Best price went from ${priceText(first.price)} to ${priceText(last.price)} over ${dots.length} quotes.`
}
