import { makerObligation, type Order, takerApproval } from './order.ts'
import type { NonceUse } from './order-end.ts'
import type { RequestedOption } from './request.ts'
import { type Address, ONE_USD, type Usd6, usd6 } from './units.ts'

/** The contract that takes money out of a wallet. */
export type Spender = 'settlement' | 'core'

/** A maker that sells pays collateral through the core and its taker a premium through the settlement; else the reverse. */
export const otherOf = (spender: Spender): Spender => (spender === 'core' ? 'settlement' : 'core')

/** An order that a maker's wallet may still have to honour: what it must pay, and what its taker must pay for that. */
export type OutstandingOrder = {
  acceptanceId: string
  makerId: string
  nonce: number
  /** Unix seconds of chain time. */
  validUntil: number
  /** Unix milliseconds; null while it waits for its maker's signature. */
  confirmedAt: number | null
  spender: Spender
  amount: Usd6
  taker: Address
  takerAmount: Usd6
  /** The block that it was filled or cancelled in; null while it is open, as far as is known. */
  endedIn: number | null
}

type ConfirmedOrder = OutstandingOrder & { confirmedAt: number }

/** What a wallet holds and has approved to one spender, in micro-dollars. */
export type Funds = { balance: Usd6; allowance: Usd6 }

/** What a wallet owes, in micro-dollars: in all (drawn from its balance), and through one spender (from that allowance too). */
export type Reserved = { total: Usd6; viaSpender: Usd6 }

/**
 * What the chain says of the orders of a wallet in one block: which have ended up to it, and what takers have by what they pay
 * through.
 */
export type OutstandingOnChain = {
  hasEnded: (order: OutstandingOrder) => boolean
  takers: ReadonlyMap<Address, Partial<Record<Spender, Funds>>>
}

/** Who asks what a wallet owes; `makerId` is null for whom only confirmed orders count. `now` in Unix milliseconds. */
export type Asker = { makerId: string | null; spender: Spender; chainTime: number; now: number }

/** How long after its confirmation an order counts although its taker has approved nothing: approving comes after the commit. */
const APPROVAL_MS = 60_000

/** What an acceptance makes its wallets owe. */
export function outstandingOrder(
  acceptance: { acceptanceId: string; makerId: string; order: Order; option: RequestedOption },
  confirmedAt: number | null,
  endedIn: number | null = null,
): OutstandingOrder {
  const { acceptanceId, makerId, order, option } = acceptance
  const { nonce, validUntil, taker } = order
  const takerAmount = takerApproval(order, option).amount
  return {
    acceptanceId,
    makerId,
    nonce,
    validUntil,
    confirmedAt,
    ...makerObligation(order, option),
    taker,
    takerAmount,
    endedIn,
  }
}

/**
 * What a wallet owes. A pending order counts only against the maker that was asked, so that no one can block a stranger's
 * wallet; a confirmed one while it can still be filled, and as far as its taker can pay for all that it was promised
 * together: a taker with little money reserves little. Without a look at the chain every taker can pay.
 */
export function reservedFor(
  orders: readonly OutstandingOrder[],
  asker: Asker,
  onChain: OutstandingOnChain | null,
): Reserved {
  const pending = orders.filter(({ confirmedAt, makerId }) => confirmedAt === null && makerId === asker.makerId)
  const confirmed = orders.filter(isConfirmed).filter((order) => isOpen(order, asker, onChain))
  if (onChain === null) return sumOf([...pending, ...confirmed], asker.spender)
  const byTaker = new Map<Address, ConfirmedOrder[]>()
  for (const order of confirmed) byTaker.set(order.taker, [...(byTaker.get(order.taker) ?? []), order])
  const drawn = [...byTaker].map(([taker, promised]) => drawnBy(promised, onChain.takers.get(taker) ?? {}, asker))
  const own = sumOf(pending, asker.spender)
  return {
    total: usd6(drawn.reduce((sum, { total }) => sum + total, own.total as bigint)),
    viaSpender: usd6(drawn.reduce((sum, { viaSpender }) => sum + viaSpender, own.viaSpender as bigint)),
  }
}

/** Confirmed orders of one taker that can still be filled, as far as the chain was asked. */
export const unfilledOf = (
  orders: readonly OutstandingOrder[],
  taker: Address,
  chainTime: number,
  onChain: OutstandingOnChain | null,
): readonly OutstandingOrder[] =>
  orders.filter((order) => order.taker === taker && isConfirmed(order) && isOpen(order, { chainTime }, onChain))

/** Which of the two 422s applies when a wallet must find `need` on top of what it owes; null when it can. */
export function checkFunds(
  funds: Funds,
  need: Usd6,
  reserved: Reserved,
): 'maker_insufficient_balance' | 'maker_insufficient_allowance' | null {
  if (funds.balance < need + reserved.total) return 'maker_insufficient_balance'
  if (funds.allowance < need + reserved.viaSpender) return 'maker_insufficient_allowance'
  return null
}

const isConfirmed = (order: OutstandingOrder): order is ConfirmedOrder => order.confirmedAt !== null

const isOpen = (order: OutstandingOrder, { chainTime }: Pick<Asker, 'chainTime'>, onChain: OutstandingOnChain | null) =>
  order.validUntil >= chainTime && !onChain?.hasEnded(order)

function sumOf(orders: readonly OutstandingOrder[], spender: Spender): Reserved {
  let total = 0n
  let viaSpender = 0n
  for (const order of orders) {
    total += order.amount
    if (order.spender === spender) viaSpender += order.amount
  }
  return { total: usd6(total), viaSpender: usd6(viaSpender) }
}

/** The most that one taker can draw with the orders it was promised; never less than what it really can. */
function drawnBy(orders: readonly ConfirmedOrder[], funds: Partial<Record<Spender, Funds>>, asker: Asker): Reserved {
  const most = { settlement: 0n, core: 0n }
  for (const spender of ['settlement', 'core'] as const) {
    const promised = orders.filter((order) => order.spender === spender)
    const has = funds[otherOf(spender)] ?? null
    most[spender] = has === null ? sumOf(promised, spender).total : drawnThrough(promised, has, asker.now)
  }
  const balance = (funds.settlement ?? funds.core)?.balance ?? null
  const together = most.settlement + most.core
  const total = balance === null ? together : least(together, mostFor(orders, balance))
  return { total: usd6(total), viaSpender: usd6(most[asker.spender]) }
}

function drawnThrough(orders: readonly ConfirmedOrder[], { balance, allowance }: Funds, now: number): bigint {
  const mayApprove = ({ confirmedAt }: ConfirmedOrder) => now - confirmedAt < APPROVAL_MS
  const young = orders.filter(mayApprove).reduce((sum, { amount }) => sum + amount, 0n)
  const rest = orders.filter((order) => !mayApprove(order))
  return least(mostFor(orders, balance), young + mostFor(rest, least(balance, allowance)))
}

/**
 * The most that orders draw from their maker when their taker spends at most `budget` on them: those first that draw most for
 * its money, the last one in part. No choice of whole orders can draw more.
 */
function mostFor(orders: readonly OutstandingOrder[], budget: bigint): bigint {
  const dearest = [...orders].sort((a, b) => (b.amount * a.takerAmount > a.amount * b.takerAmount ? 1 : -1))
  let left = budget
  let drawn = 0n
  for (const { amount, takerAmount } of dearest) {
    if (takerAmount > left) return drawn + (amount * left + takerAmount - 1n) / takerAmount
    left -= takerAmount
    drawn += amount
  }
  return drawn
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)

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
