import type { OneSidedTrade } from '../../../src/protocol/domain/request.ts'
import { compare, divide, floor, type Rational, rational } from './rational.ts'

const smaller = (a: Rational, b: Rational): Rational => (compare(a, b) <= 0 ? a : b)

/** The spec's fill in fractions of dollars: min(floor(budgetUsd / price), size) on a buy, min of the sizes on a sell. */
export function fillByFractions(trade: OneSidedTrade, quote: { price: bigint; size: bigint }): bigint {
  const dollars = (micro: bigint) => rational(micro, 1_000_000n)
  const wanted =
    trade.side === 'buy' ? rational(floor(divide(dollars(trade.budget), dollars(quote.price)))) : rational(trade.size)
  return floor(smaller(wanted, rational(quote.size)))
}
