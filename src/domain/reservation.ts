import { MOST_PAYOFF } from './option.ts'
import { makerObligation, type Order, takerApproval } from './order.ts'
import type { NonceUse } from './order-end.ts'
import type { Position } from './position.ts'
import type { RequestedOption } from './request.ts'
import type { SeriesId } from './series.ts'
import { type Address, type Contracts, contracts, type Usd6, usd6 } from './units.ts'

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
  seriesId: SeriesId
  /** How many options that its maker holds the order hands over, instead of money for new ones. */
  longs: Contracts
  taker: Address
  takerAmount: Usd6
  /** The block that it was filled or cancelled in; null while it is open, as far as is known. */
  endedIn: number | null
}

type ConfirmedOrder = OutstandingOrder & { confirmedAt: number }

/** What a wallet holds and has approved to one spender, in micro-dollars. */
export type Funds = { balance: Usd6; allowance: Usd6 }

/** What a wallet has in a series, and whether the settlement may move options that it holds. */
export type Inventory = Omit<Position, 'seriesId'> & { isApproved: boolean }

/**
 * What a wallet owes: micro-dollars in all (drawn from its balance), and through one spender (from that allowance too); and of the
 * options that it holds in the series that is asked about.
 */
export type Reserved = { total: Usd6; viaSpender: Usd6; longs: Contracts }

/**
 * What the chain says of the orders of a wallet in one block: which have ended up to it, and what takers have by what they pay
 * through.
 */
export type OutstandingOnChain = {
  hasEnded: (order: OutstandingOrder) => boolean
  takers: ReadonlyMap<Address, Partial<Record<Spender, Funds>>>
}

/** Who asks what a wallet owes; `makerId` is null for whom only confirmed orders count. `now` in Unix milliseconds. */
export type Asker = { makerId: string | null; spender: Spender; seriesId: SeriesId; chainTime: number; now: number }

/** How long after its confirmation an order counts although its taker has approved nothing: approving comes after the commit. */
const APPROVAL_MS = 60_000

/** What an acceptance makes its wallets owe. */
export function outstandingOrder(
  acceptance: {
    acceptanceId: string
    makerId: string
    order: Order
    option: RequestedOption
    fromInventory?: Contracts
  },
  confirmedAt: number | null,
  endedIn: number | null = null,
): OutstandingOrder {
  const { acceptanceId, makerId, order, option, fromInventory = contracts(0n) } = acceptance
  const { nonce, validUntil, taker, seriesId } = order
  const takerAmount = takerApproval(order, option).amount
  return {
    acceptanceId,
    makerId,
    nonce,
    validUntil,
    confirmedAt,
    ...makerObligation(order, option, fromInventory),
    seriesId,
    longs: order.makerSelling ? fromInventory : contracts(0n),
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
  if (onChain === null) return sumOf([...pending, ...confirmed], asker)
  const byTaker = new Map<Address, ConfirmedOrder[]>()
  for (const order of confirmed) byTaker.set(order.taker, [...(byTaker.get(order.taker) ?? []), order])
  const drawn = [...byTaker].map(([taker, promised]) => drawnBy(promised, onChain.takers.get(taker) ?? {}, asker))
  const own = sumOf(pending, asker)
  return {
    total: usd6(drawn.reduce((sum, { total }) => sum + total, own.total as bigint)),
    viaSpender: usd6(drawn.reduce((sum, { viaSpender }) => sum + viaSpender, own.viaSpender as bigint)),
    longs: contracts(drawn.reduce((sum, { longs }) => sum + longs, own.longs as bigint)),
  }
}

/** How many of `wanted` options come from those that a wallet holds, where it lets the settlement take them and has not promised them. */
export function fromInventoryOf(
  wanted: Contracts,
  { long, isApproved }: Pick<Inventory, 'long' | 'isApproved'>,
  reserved: Pick<Reserved, 'longs'>,
): Contracts {
  const free = isApproved && long > reserved.longs ? long - reserved.longs : 0n
  return contracts(least(wanted, free))
}

/**
 * What a wallet owes where some of the options that it has promised are gone, or not approved any more: new ones take their place,
 * with `collateralEach`.
 */
export function withLostLongs(
  reserved: Reserved,
  { long, isApproved }: Pick<Inventory, 'long' | 'isApproved'>,
  collateralEach: Usd6,
): Reserved {
  const has = isApproved ? long : 0n
  if (reserved.longs <= has) return reserved
  const lost = (reserved.longs - has) * collateralEach
  return { ...reserved, total: usd6(reserved.total + lost), viaSpender: usd6(reserved.viaSpender + lost) }
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
  reserved: Pick<Reserved, 'total' | 'viaSpender'>,
): 'maker_insufficient_balance' | 'maker_insufficient_allowance' | null {
  if (funds.balance < need + reserved.total) return 'maker_insufficient_balance'
  if (funds.allowance < need + reserved.viaSpender) return 'maker_insufficient_allowance'
  return null
}

const isConfirmed = (order: OutstandingOrder): order is ConfirmedOrder => order.confirmedAt !== null

const isOpen = (order: OutstandingOrder, { chainTime }: Pick<Asker, 'chainTime'>, onChain: OutstandingOnChain | null) =>
  order.validUntil >= chainTime && !onChain?.hasEnded(order)

function sumOf(
  orders: readonly OutstandingOrder[],
  { spender, seriesId }: Pick<Asker, 'spender' | 'seriesId'>,
): Reserved {
  let total = 0n
  let viaSpender = 0n
  let longs = 0n
  for (const order of orders) {
    total += order.amount
    if (order.spender === spender) viaSpender += order.amount
    if (order.seriesId === seriesId) longs += order.longs
  }
  return { total: usd6(total), viaSpender: usd6(viaSpender), longs: contracts(longs) }
}

/** The most that one taker can draw with the orders it was promised; never less than what it really can. */
function drawnBy(orders: readonly ConfirmedOrder[], funds: Partial<Record<Spender, Funds>>, asker: Asker): Reserved {
  const most = { settlement: 0n, core: 0n }
  for (const spender of ['settlement', 'core'] as const) {
    const promised = orders.filter((order) => order.spender === spender)
    const has = funds[otherOf(spender)] ?? null
    most[spender] = has === null ? totalOf(promised) : drawnThrough(promised, has, asker.now)
  }
  const balance = (funds.settlement ?? funds.core)?.balance ?? null
  const together = most.settlement + most.core
  const total = balance === null ? together : least(together, mostFor(orders, balance))
  return {
    total: usd6(total),
    viaSpender: usd6(most[asker.spender]),
    longs: contracts(longsDrawnBy(orders, funds, asker)),
  }
}

/** The most options of the series asked about that one taker can draw, as it draws money: by what it pays for them. */
function longsDrawnBy(
  orders: readonly ConfirmedOrder[],
  funds: Partial<Record<Spender, Funds>>,
  { seriesId, now }: Asker,
): bigint {
  const promised = orders
    .filter((order) => order.longs > 0n && order.seriesId === seriesId)
    .map((order) => ({ ...order, amount: usd6(order.longs) }))
  if (promised.length === 0) return 0n
  return funds.settlement === undefined ? totalOf(promised) : drawnThrough(promised, funds.settlement, now)
}

const totalOf = (orders: readonly OutstandingOrder[]): bigint => orders.reduce((sum, { amount }) => sum + amount, 0n)

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

const NOTHING = { total: usd6(0n), viaSpender: usd6(0n) }

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
    // Which option it was is not known here, and none has a greater collateral.
    spent += fill.makerSelling ? fill.optionAmount * MOST_PAYOFF : fill.premiumAmount
  }
  return usd6(spent)
}

const plus = ({ balance, allowance }: Funds, amount: bigint): Funds => ({
  balance: usd6(balance + amount),
  allowance: usd6(allowance + amount),
})
