import { maxPayoff, type Option, payoff, valueAt } from './option.ts'
import type { ListedSeries, SeriesId } from './series.ts'
import { TWAP_WINDOW_S } from './twap.ts'
import { type Contracts, type Usd6, usd6 } from './units.ts'

/** A wallet's position in a series. */
export type Position = {
  seriesId: SeriesId
  /** Number of options that it holds. */
  long: Contracts
  /** Number of options that it has written. */
  short: Contracts
}

/** Value of a position, in micro-dollars; null where no price is known. */
export type PositionValue = {
  /** Payoff of one option at the current price. */
  intrinsic: Usd6 | null
  /** Amount that holder and writer would get out at that price; a writer's collateral included. */
  value: Usd6 | null
  /** The most that the value can still fall; without a price, a writer's collateral, and null for a holder. */
  maxLoss: Usd6 | null
  /** Amount that can be claimed on the chain now: nothing before settlement. */
  claimable: Usd6
}

/**
 * Values a position in an option. `resolutionBps` is the price the series resolves at, null while that is open; `spot` is the
 * price of the YES token in micro-dollars, null when it is not known. The chain pays only once it is `settled`.
 */
export function valuePosition(
  option: Option,
  held: Omit<Position, 'seriesId'> & Pick<ListedSeries, 'resolutionBps'> & { settled: boolean; spot: Usd6 | null },
): PositionValue {
  const { long, short, resolutionBps, settled, spot } = held
  const most = maxPayoff(option)
  const final = resolutionBps === null ? null : payoff(option, resolutionBps)
  const intrinsic = final ?? (spot === null ? null : valueAt(option, spot))
  // No price takes more from a writer than it has locked for what it does not hold as well.
  if (intrinsic === null)
    return { intrinsic, value: null, maxLoss: short < long ? null : usd6((short - long) * most), claimable: usd6(0n) }
  const value = worthOf(option, { long, short }, intrinsic)
  // Whatever the price, each pair of a long and a short is worth the whole max payoff.
  const floor = (long < short ? long : short) * most
  return {
    intrinsic,
    value,
    maxLoss: usd6(final === null ? value - floor : 0n),
    claimable: settled ? value : usd6(0n),
  }
}

/** The worth of options that are held and written, with the writer's collateral, where one option is worth `price`; micro-dollars. */
export const worthOf = (option: Option, { long, short }: Omit<Position, 'seriesId'>, price: Usd6): Usd6 =>
  usd6(long * price + short * (maxPayoff(option) - price))

/** A wallet's position in a series, with its value. */
export type ValuedPosition = Omit<Position, 'seriesId'> &
  PositionValue & {
    series: ListedSeries
    /** The price of the YES token that it is valued at, dollars; null where none is known. */
    price: number | null
    /** The mark of one option by the surface of its market, micro-dollars; null where there is none, and once the series has a price. */
    mark: Usd6 | null
  }

/**
 * Worth of a position at a time, Unix seconds, by which profits are shown: the payout once its series has a price, the worth at the mark
 * before that. Null without a mark, since a payoff without time value is not a worth, and in the window, in which earlier prices count.
 */
export function worthNow(
  { series, long, short, value, mark }: Omit<ValuedPosition, 'price'>,
  now: number,
): Usd6 | null {
  if (series.resolutionBps !== null) return value
  return mark === null || now >= series.expiry - TWAP_WINDOW_S ? null : worthOf(series, { long, short }, mark)
}
