import type { ListedSeries } from '../../../client/index.ts'
import { fairValue } from '../traders.ts'

/** A call that a taker buys, and a put of another market that a taker writes. */
export type ChosenSeries = { call: ListedSeries; put: ListedSeries }

/** What an option must be worth for the demo, in dollars: makers bid for it whatever their spread. */
const LEAST_WORTH = 0.04

/** A YES price between these is of a market that is still undecided. */
const UNDECIDED = { min: 0.05, max: 0.95 }

/**
 * Chooses what the demo trades: of all series that are worth some cents at this hour's prices, those that expire first. The
 * fixtures' prices move all day, and no one bids for a put that ends in ten minutes far out of the money.
 * `spots` are YES prices in dollars by token, `now` Unix seconds.
 */
export function chooseSeries(
  series: readonly ListedSeries[],
  { spots, now }: { spots: ReadonlyMap<string, number>; now: number },
): ChosenSeries {
  const spotOf = (yesTokenId: string) => spots.get(yesTokenId) ?? 0
  const undecided = series.filter(({ yesTokenId }) => {
    const spot = spotOf(yesTokenId)
    return UNDECIDED.min <= spot && spot <= UNDECIDED.max
  })
  const worthOf = (entry: ListedSeries) => fairValue(entry, { spot: spotOf(entry.yesTokenId), nowMs: now * 1_000 })
  const put = firstOfWorth(undecided, { optionType: 'put', worthOf })
  const elsewhere = undecided.filter(({ conditionId }) => conditionId !== put.conditionId)
  return { put, call: firstOfWorth(elsewhere, { optionType: 'call', worthOf }) }
}

/** The first to expire among those of worth; where none is, the one that is worth most. */
function firstOfWorth(
  series: readonly ListedSeries[],
  { optionType, worthOf }: { optionType: ListedSeries['optionType']; worthOf: (entry: ListedSeries) => number },
): ListedSeries {
  const valued = series
    .filter((entry) => entry.optionType === optionType)
    .map((entry) => ({ entry, worth: worthOf(entry) }))
  const [first] = valued.filter((each) => each.worth >= LEAST_WORTH).sort((a, b) => a.entry.expiry - b.entry.expiry)
  const [dearest] = valued.sort((a, b) => b.worth - a.worth)
  const chosen = first ?? dearest
  if (chosen === undefined) throw new Error(`The fixtures have no ${optionType} to trade.`)
  return chosen.entry
}
