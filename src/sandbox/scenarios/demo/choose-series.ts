import { computeSeriesId, type ListedSeries, usd6ToNumber } from '@rfqctl/client/index'
import {
  isPackage,
  maxPayoff,
  normalPackage,
  type OptionType,
  type VanillaOption,
} from '@rfqctl/protocol/domain/option'
import { tightValue } from '../traders.ts'

/** A call that a taker buys, a put of another market that a taker writes, and a call spread that a taker buys. */
export type ChosenSeries = { call: ListedSeries; put: ListedSeries; spread: ListedSeries }

/** Least value of a demo option, in dollars: makers bid for it whatever their spread. */
const LEAST_WORTH = 0.04

/** A YES price in this range belongs to a market that is still undecided. */
const UNDECIDED = { min: 0.05, max: 0.95 }

/**
 * Chooses the demo's series: of those worth some cents at this hour's prices, the first to expire. The fixtures' prices
 * move all day, and no one bids for a put far out of the money that ends in ten minutes. `spots` are YES prices in
 * dollars by token, `now` Unix seconds.
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
  const worthOf = (entry: ListedSeries) => tightValue(entry, { spot: spotOf(entry.yesTokenId), nowMs: now * 1_000 })
  const put = firstOfWorth(undecided, { optionType: 'put', worthOf })
  const elsewhere = undecided.filter(({ conditionId }) => conditionId !== put.conditionId)
  const call = firstOfWorth(elsewhere, { optionType: 'call', worthOf })
  return { put, call, spread: firstOpenSpread(undecided, worthOf) }
}

/** Value of a spread that can go either way, as a share of its max payoff. */
const OPEN_SHARE = { min: 0.2, max: 0.8 }

/** The first call spread to expire that can go either way; else the one nearest to its middle. */
function firstOpenSpread(series: readonly ListedSeries[], worthOf: (entry: ListedSeries) => number): ListedSeries {
  const calls = series.filter(isCall)
  const spreads = calls
    .flatMap((bought) => calls.filter((sold) => isAbove(sold, bought)).map((sold) => spreadOf(bought, sold)))
    .map((entry) => ({ entry, share: worthOf(entry) / usd6ToNumber(maxPayoff(entry)) }))
  const isOpen = ({ share }: { share: number }) => OPEN_SHARE.min <= share && share <= OPEN_SHARE.max
  const [first] = spreads.filter(isOpen).sort((a, b) => a.entry.expiry - b.entry.expiry)
  const [nearest] = spreads.sort((a, b) => Math.abs(a.share - 0.5) - Math.abs(b.share - 0.5))
  const chosen = first ?? nearest
  if (chosen === undefined) throw new Error('The fixtures have no two calls of one market and expiry.')
  return chosen.entry
}

type Call = ListedSeries & VanillaOption

const isCall = (series: ListedSeries): series is Call => !isPackage(series) && series.optionType === 'call'

const isAbove = (sold: Call, bought: Call): boolean =>
  sold.yesTokenId === bought.yesTokenId && sold.expiry === bought.expiry && sold.strikeBps > bought.strikeBps

function spreadOf(bought: Call, sold: Call): ListedSeries {
  const { conditionId, yesTokenId, expiry } = bought
  const legs = [
    { optionType: bought.optionType, strikeBps: bought.strikeBps, quantity: 1 },
    { optionType: sold.optionType, strikeBps: sold.strikeBps, quantity: -1 },
  ]
  const terms = { conditionId, yesTokenId, expiry, ...normalPackage(legs) }
  return { ...terms, seriesId: computeSeriesId(terms), resolutionBps: null }
}

/** The first to expire among those worth enough; else the most valuable one. */
function firstOfWorth(
  series: readonly ListedSeries[],
  { optionType, worthOf }: { optionType: OptionType; worthOf: (entry: ListedSeries) => number },
): ListedSeries {
  const valued = series
    .filter((entry) => !isPackage(entry) && entry.optionType === optionType)
    .map((entry) => ({ entry, worth: worthOf(entry) }))
  const [first] = valued.filter((each) => each.worth >= LEAST_WORTH).sort((a, b) => a.entry.expiry - b.entry.expiry)
  const [dearest] = valued.sort((a, b) => b.worth - a.worth)
  const chosen = first ?? dearest
  if (chosen === undefined) throw new Error(`The fixtures have no ${optionType} to trade.`)
  return chosen.entry
}
