import { type Place, rangeOf, scaleOf, stepPath } from './scale.ts'

/** The best quote from `at` on: Unix milliseconds, and micro-dollars per option. */
export type RaceQuote = { at: number; quoteId: string; price: bigint; isFirm: boolean }

/** In hundredths of the width and height. */
export type RaceShape = ReturnType<typeof raceShape>

/** Shortest time shown: the first quotes come within a fraction of a second, and more follow. */
const LEAST_MS = 10_000

/** Narrowest range of prices, dollars: two quotes that differ by a hundredth of a cent are not a race. */
const LEAST_DOLLARS = 0.002

/** `bids` are drawn beside the asks, on the same axes. */
export function raceShape(
  quotes: readonly RaceQuote[],
  { openedAt, now, bids = [] }: { openedAt: number; now: number; bids?: readonly RaceQuote[] },
) {
  const all = [...quotes, ...bids]
  const latest = Math.max(now, openedAt, ...all.map(({ at }) => at))
  const until = Math.max(latest, openedAt + LEAST_MS)
  const prices = all.map(({ price }) => Number(price) / 1e6)
  const dollars = rangeOf(prices, { margin: 0.2, least: LEAST_DOLLARS })
  const xOf = scaleOf([openedAt, until], [1.5, 98.5])
  const yOf = scaleOf(dollars, [96, 4])
  const runOf = (run: readonly RaceQuote[]) => {
    const places = run.map(({ at, price }) => ({ x: xOf(Math.max(at, openedAt)), y: yOf(Number(price) / 1e6) }))
    return {
      best: stepPath(places, xOf(latest)),
      dots: run.map(({ quoteId, isFirm }, i) => ({ quoteId, isFirm, place: places[i] as Place })),
      leader: places.at(-1) ?? null,
    }
  }
  return {
    ...runOf(quotes),
    bids: runOf(bids),
    /** Ranges of the axes: milliseconds since the request was opened, and dollars. */
    seconds: [0, (until - openedAt) / 1_000] as const,
    dollars,
    xOf,
    yOf,
  }
}
