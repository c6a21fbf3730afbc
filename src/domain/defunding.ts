import type { NonceUse } from './order-end.ts'
import { checkFunds, type Funds, type Reserved, type Spender } from './reservation.ts'
import { ONE_USD, type Usd6, usd6 } from './units.ts'

/** That the maker of an open order took away what the order needs. */
export type Defunding = {
  /** What its wallet lacks: money, or an allowance to the contract that takes it. */
  code: 'maker_insufficient_balance' | 'maker_insufficient_allowance'
  /** The final block in which it was read. */
  blockNumber: number
}

/** What the wallet of an open order must pay, in micro-dollars; `signedAt` in seconds of chain time. */
export type Promised = { spender: Spender; amount: Usd6; signedAt: number }

/** What a wallet had at a block's `time`, Unix seconds, for each spender that was asked for. */
export type FundsLook = { time: number; funds: Partial<Record<Spender, Funds>> }

const NOTHING: Reserved = { total: usd6(0n), viaSpender: usd6(0n) }

/**
 * Those of a wallet's open orders, in the order of their signatures, that it cannot pay `now`, beside those that it signed before
 * them, although it could at the look `before` and `spent`, the most that fills have taken since, would have left enough. Of an
 * order that was signed after that look all that is known is that its wallet could pay for it when it signed: it counts alone,
 * against the most that fills have taken since it was signed, `spentSinceSigned`. So neither a fill nor what a wallet was let
 * promise because its takers had little counts as its maker's doing.
 */
export function findDefunded<Order extends Promised>(
  orders: readonly Order[],
  { before, now, spent, spentSinceSigned }: { before: FundsLook; now: FundsLook; spent: Usd6; spentSinceSigned: Usd6 },
): readonly { order: Order; code: Defunding['code'] }[] {
  let total = 0n
  const via = { settlement: 0n, core: 0n }
  return orders.flatMap((order) => {
    const { spender, amount, signedAt } = order
    const earlier = { total: usd6(total), viaSpender: usd6(via[spender]) }
    total += amount
    via[spender] += amount
    const [had, has] = [before.funds[spender], now.funds[spender]]
    if (has === undefined || signedAt >= now.time) return []
    const isNew = signedAt >= before.time
    if (!isNew && (had === undefined || checkFunds(plus(had, -spent), amount, earlier) !== null)) return []
    const code = isNew ? checkFunds(plus(has, spentSinceSigned), amount, NOTHING) : checkFunds(has, amount, earlier)
    return code === null ? [] : [{ order, code }]
  })
}

/** The most that uses of a wallet's nonces after a block, and up to another one, have taken from it. */
export function mostSpent(uses: readonly NonceUse[], after: number, upTo: number): Usd6 {
  let spent = 0n
  for (const { fill, blockNumber } of uses) {
    if (fill === null || blockNumber <= after || blockNumber > upTo) continue
    // No option pays more than a dollar, so that none has a greater collateral.
    spent += fill.makerSelling ? fill.optionAmount * ONE_USD : fill.premiumAmount
  }
  return usd6(spent)
}

const plus = ({ balance, allowance }: Funds, amount: bigint): Funds => ({
  balance: usd6(balance + amount),
  allowance: usd6(allowance + amount),
})
