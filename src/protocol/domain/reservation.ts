import { MOST_PAYOFF, maxPayoff } from './option.ts'
import { makerObligation, type Order, takerApproval } from './order.ts'
import type { NonceUse } from './order-end.ts'
import type { Position } from './position.ts'
import type { RequestedOption } from './request.ts'
import type { SeriesId } from './series.ts'
import { type Address, type Contracts, contracts, type Usd6, usd6 } from './units.ts'

/** The contract that takes money out of a wallet. */
export type Spender = 'settlement' | 'core'

/** A maker that sells pays collateral through the core, and its taker pays a premium through the settlement; else the reverse. */
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
  /** Most that its maker pays; in a sale, the taker chooses how many of the maker's own options are handed over. */
  amount: Usd6
  seriesId: SeriesId
  optionAmount: Contracts
  collateralEach: Usd6
  /** Options of its maker that are kept for it, in place of money for new ones. */
  longs: Contracts
  taker: Address
  /** Most that its taker pays. */
  takerAmount: Usd6
  /** Whether the taker has shown that the wallet is its own (decision C16). */
  isProven: boolean
  /** Whether it closes options that its taker has written. */
  closes: boolean
  /** The block that it was filled or cancelled in; null while it is open, as far as is known. */
  endedIn: number | null
}

type ConfirmedOrder = OutstandingOrder & { confirmedAt: number }

/** Balance of a wallet and its allowance to one spender, in micro-dollars. */
export type Funds = { balance: Usd6; allowance: Usd6 }

/** A wallet's position in a series, and whether the settlement may move options that it holds. */
export type Inventory = Omit<Position, 'seriesId'> & { isApproved: boolean }

/** Micro-dollars in all (drawn from a balance), and through one spender (from that allowance too). */
export type Drawn = { total: Usd6; viaSpender: Usd6 }

/**
 * The most that a wallet owes, in money and, as `longs`, in options that it holds in the series asked about. `written` is the
 * part that orders draw for which no options are kept, and `held`, by series, the part that the others draw, in money or in
 * options.
 */
export type Reserved = Drawn & {
  longs: Contracts
  written: Drawn
  held: ReadonlyMap<SeriesId, Drawn & { collateralEach: Usd6 }>
}

/**
 * State of the chain in one block for the orders of a wallet: the orders that have ended by then, the wallet's own funds, the
 * takers' funds by spender, and the takers' positions in a series that they can fill from.
 */
export type OutstandingOnChain = {
  hasEnded: (order: OutstandingOrder) => boolean
  /** Funds of the wallet, and its options of the series that is asked about. */
  own: Funds & Pick<Inventory, 'long'>
  /** Whether the means of an order's taker were read: anyone may make as many takers as they like. */
  isLookedAt: (order: OutstandingOrder) => boolean
  takers: ReadonlyMap<Address, Partial<Record<Spender, Funds>>>
  positionOf: (order: Pick<OutstandingOrder, 'taker' | 'seriesId'>) => Inventory
}

/**
 * Caller that asks for a wallet's debt; with a null `makerId` only confirmed orders count. `isProven`: for a taker that has
 * proved its wallet, or still may. `now` in Unix milliseconds.
 */
export type Asker = {
  makerId: string | null
  spender: Spender
  seriesId: SeriesId
  chainTime: number
  now: number
  isProven: boolean
}

/** An asker, and the time after its confirmation in which an order counts although its taker has approved nothing, in milliseconds. */
type Looker = Asker & { approvalMs: number }

/** Approving comes after the commit. */
const APPROVAL_MS = 60_000

/** The debt that an acceptance creates for its wallets. */
export function outstandingOrder(
  acceptance: {
    acceptanceId: string
    makerId: string
    order: Order
    option: RequestedOption
    fromInventory?: Contracts
    proven?: true
    closes?: boolean
  },
  confirmedAt: number | null,
  endedIn: number | null = null,
): OutstandingOrder {
  const { acceptanceId, makerId, order, option, fromInventory = contracts(0n), closes = false } = acceptance
  const { nonce, validUntil, taker, seriesId, optionAmount } = order
  const takerAmount = takerApproval(order, option).amount
  return {
    acceptanceId,
    makerId,
    nonce,
    validUntil,
    confirmedAt,
    ...makerObligation(order, option),
    seriesId,
    optionAmount,
    collateralEach: maxPayoff(option),
    longs: order.makerSelling ? fromInventory : contracts(0n),
    taker,
    takerAmount,
    isProven: acceptance.proven === true,
    closes,
    endedIn,
  }
}

/**
 * The debt of a wallet. A pending order counts only against the maker that was asked, so that no one can block a stranger's
 * wallet. A confirmed one counts while it can still be filled, and as far as its taker can fill all its promised orders together:
 * a taker with little money and none of the options reserves little. Without a look at the chain, every taker can.
 *
 * Anyone may name any wallet. So, for a taker that has proved its own, orders of unproven takers count only as far as these have
 * approved, not by what they merely hold, and bind at most a quarter of what the wallet has free (decision C17). The same applies
 * to orders whose takers were not looked at.
 */
export function reservedFor(
  orders: readonly OutstandingOrder[],
  asker: Asker,
  onChain: OutstandingOnChain | null,
): Reserved {
  const counted = orders.filter((order) =>
    isConfirmed(order) ? isOpen(order, asker, onChain) : order.makerId === asker.makerId,
  )
  const known = { ...asker, approvalMs: APPROVAL_MS }
  if (onChain === null || !asker.isProven) return promisedBy(counted, known, onChain)
  const isBinding = (order: OutstandingOrder) => order.isProven && (!isConfirmed(order) || onChain.isLookedAt(order))
  const [binding, others] = [counted.filter(isBinding), counted.filter((order) => !isBinding(order))]
  const bound = promisedBy(binding, known, onChain)
  return withShare(bound, promisedBy(others, { ...asker, approvalMs: 0 }, onChain), onChain.own)
}

const NOTHING = { total: usd6(0n), viaSpender: usd6(0n) }

/** The debt of a wallet without orders, and of most wallets: nothing is summed for them. */
export const NOTHING_OWED: Reserved = { ...NOTHING, longs: contracts(0n), written: NOTHING, held: new Map() }

/** Askers that are remembered for one list of orders, and for one look at the chain. */
const ASKERS_KEPT = 64

const reservedBefore = new WeakMap<object, Map<string, Reserved>>()

/**
 * The debt, summed once for all quotes that ask while the list of orders and the look at the chain are the same objects. `now` counts in
 * whole seconds, so that what a taker has yet to approve counts up to a second longer.
 */
export function reservedOnce(
  orders: readonly OutstandingOrder[],
  asker: Asker,
  onChain: OutstandingOnChain | null,
): Reserved {
  if (orders.length === 0) return NOTHING_OWED
  const now = onChain === null ? 0 : Math.floor(asker.now / 1_000) * 1_000
  const known = reservedBefore.get(onChain ?? orders) ?? new Map<string, Reserved>()
  const { makerId, spender, seriesId, chainTime, isProven } = asker
  const name = `${makerId ?? ''} ${spender} ${seriesId} ${chainTime} ${isProven} ${now}`
  const before = known.get(name)
  if (before !== undefined) return before
  if (known.size >= ASKERS_KEPT) known.clear()
  const reserved = reservedFor(orders, { ...asker, now }, onChain)
  reservedBefore.set(onChain ?? orders, known.set(name, reserved))
  return reserved
}

/** The debt `bound`, plus the debt to `others` as far as these may bind what the wallet has. */
function withShare(bound: Reserved, others: Reserved, own: OutstandingOnChain['own']): Reserved {
  const free = {
    total: quarterOf(own.balance - bound.total),
    viaSpender: quarterOf(own.allowance - bound.viaSpender),
  }
  const plusPart = (to: Drawn, of: Drawn): Drawn => ({
    total: usd6(to.total + least(of.total, free.total)),
    viaSpender: usd6(to.viaSpender + least(of.viaSpender, free.viaSpender)),
  })
  const held = new Map(bound.held)
  for (const [seriesId, { collateralEach, ...drawn }] of others.held)
    held.set(seriesId, { ...plusPart(held.get(seriesId) ?? NOTHING, drawn), collateralEach })
  return {
    ...plusPart(bound, others),
    longs: contracts(bound.longs + least(others.longs, quarterOf(own.long - bound.longs))),
    written: plusPart(bound.written, others.written),
    held,
  }
}

/** Part of a wallet's free funds that takers without a proof may bind together. */
const quarterOf = (free: bigint): bigint => (free > 0n ? free / 4n : 0n)

/** The debt of a wallet by orders that all count. */
function promisedBy(counted: readonly OutstandingOrder[], asker: Looker, onChain: OutstandingOnChain | null): Reserved {
  const drawn = (of: readonly OutstandingOrder[]) => drawnOf(of, asker, onChain)
  const all = drawn(counted)
  const bySeries = groupedBy(
    counted.filter(({ longs }) => longs > 0n),
    ({ seriesId }) => seriesId,
  )
  if (bySeries.size === 0) return { ...all, longs: contracts(0n), written: all, held: new Map() }
  const kept = (bySeries.get(asker.seriesId) ?? []).map((order) => ({ ...order, amount: usd6(order.longs) }))
  const written = drawn(counted.filter(({ longs }) => longs === 0n))
  const held = [...bySeries].map(([seriesId, [first, ...rest]]) => {
    const { collateralEach } = first
    return [seriesId, { ...drawn([first, ...rest]), collateralEach }] as const
  })
  return { ...all, longs: contracts(drawn(kept).total), written, held: new Map(held) }
}

/** The debt of a wallet with one order more, through the spender that was asked about. */
export function withOrder(
  reserved: Reserved,
  {
    amount,
    longs,
    seriesId,
    collateralEach,
  }: Pick<OutstandingOrder, 'amount' | 'longs' | 'seriesId' | 'collateralEach'>,
): Reserved {
  const more = (drawn: Drawn): Drawn => ({
    total: usd6(drawn.total + amount),
    viaSpender: usd6(drawn.viaSpender + amount),
  })
  const { total, viaSpender } = more(reserved)
  if (longs === 0n)
    return { total, viaSpender, longs: reserved.longs, written: more(reserved.written), held: reserved.held }
  const former = reserved.held.get(seriesId) ?? NOTHING
  const held = new Map(reserved.held).set(seriesId, { ...more(former), collateralEach })
  return { total, viaSpender, longs: contracts(reserved.longs + longs), written: reserved.written, held }
}

/**
 * Money that a wallet must have so that each order can be filled, whichever split the takers of the others choose. With an order
 * that no options are kept for, it is the whole debt: that order must not fail because another was filled by money. Else the
 * options that `holds` reports replace money. Where they are too few for the orders of their series, because the wallet sells
 * more or has moved them away since, it is the whole debt less what these few can cover.
 */
export function moneyNeeded(
  reserved: Reserved,
  holds: (seriesId: SeriesId) => Pick<Inventory, 'long' | 'isApproved'>,
): Drawn {
  const needed = (part: keyof Drawn): Usd6 => {
    if (reserved.written[part] > 0n) return reserved[part]
    let most = 0n
    for (const [seriesId, drawn] of reserved.held) {
      const { long, isApproved } = holds(seriesId)
      const covered = isApproved ? long * drawn.collateralEach : 0n
      if (drawn[part] > covered && reserved[part] - covered > most) most = reserved[part] - covered
    }
    return usd6(most)
  }
  return { total: needed('total'), viaSpender: needed('viaSpender') }
}

/** Number of `wanted` options that come from the wallet's own, where it lets the settlement take them and has not promised them. */
export function fromInventoryOf(
  wanted: Contracts,
  { long, isApproved }: Pick<Inventory, 'long' | 'isApproved'>,
  reserved: Pick<Reserved, 'longs'>,
): Contracts {
  const free = isApproved && long > reserved.longs ? long - reserved.longs : 0n
  return contracts(least(wanted, free))
}

/**
 * Confirmed orders of one taker that can still be filled, as far as the chain was asked: for a taker that has proved its wallet,
 * orders that are surely its own; for one that has not, orders that anyone may have asked for.
 */
export const unfilledOf = (
  orders: readonly OutstandingOrder[],
  taker: Address,
  { chainTime, isProven }: Pick<Asker, 'chainTime' | 'isProven'>,
  onChain: OutstandingOnChain | null,
): readonly OutstandingOrder[] =>
  orders.filter(
    (order) =>
      order.taker === taker &&
      order.isProven === isProven &&
      isConfirmed(order) &&
      isOpen(order, { chainTime }, onChain),
  )

/** One of two 422s when a wallet cannot find `need` on top of its debt; null when it can. */
export function checkFunds(
  funds: Funds,
  need: Usd6,
  reserved: Drawn,
): 'maker_insufficient_balance' | 'maker_insufficient_allowance' | null {
  if (funds.balance < need + reserved.total) return 'maker_insufficient_balance'
  if (funds.allowance < need + reserved.viaSpender) return 'maker_insufficient_allowance'
  return null
}

const isConfirmed = (order: OutstandingOrder): order is ConfirmedOrder => order.confirmedAt !== null

const isOpen = (order: OutstandingOrder, { chainTime }: Pick<Asker, 'chainTime'>, onChain: OutstandingOnChain | null) =>
  order.validUntil >= chainTime && !onChain?.hasEnded(order)

function drawnOf(orders: readonly OutstandingOrder[], asker: Looker, onChain: OutstandingOnChain | null): Drawn {
  if (onChain === null) return sumOf(orders, asker)
  const isKnown = (order: OutstandingOrder): order is ConfirmedOrder => isConfirmed(order) && onChain.isLookedAt(order)
  const byTaker = groupedBy(orders.filter(isKnown), ({ taker }) => taker)
  const inFull = orders.filter((order) => !isKnown(order))
  const drawn = [sumOf(inFull, asker), ...[...byTaker.values()].map((promised) => drawnBy(promised, asker, onChain))]
  return {
    total: usd6(drawn.reduce((sum, { total }) => sum + total, 0n)),
    viaSpender: usd6(drawn.reduce((sum, { viaSpender }) => sum + viaSpender, 0n)),
  }
}

function sumOf(orders: readonly OutstandingOrder[], { spender }: Pick<Asker, 'spender'>): Drawn {
  let total = 0n
  let viaSpender = 0n
  for (const order of orders) {
    total += order.amount
    if (order.spender === spender) viaSpender += order.amount
  }
  return { total: usd6(total), viaSpender: usd6(viaSpender) }
}

/**
 * The most that one taker can draw with the orders it was promised, whatever it says about its inventory; never less than it
 * really can. Money paid for options that it hands over, and collateral released by closing, can pay for more.
 */
function drawnBy(
  orders: readonly [ConfirmedOrder, ...ConfirmedOrder[]],
  asker: Looker,
  onChain: OutstandingOnChain,
): Drawn {
  const funds = onChain.takers.get(orders[0].taker) ?? {}
  const sales = orders.filter(({ spender }) => spender === 'settlement')
  const purchases = orders.filter(({ spender }) => spender === 'core')
  const handedOver = drawnFromPositions(sales, asker, onChain)
  const gained = handedOver + releasedBy(purchases, onChain)
  const paid = (promised: readonly ConfirmedOrder[], has: Funds | undefined) =>
    has === undefined
      ? totalOf(promised)
      : drawnThrough(promised, { balance: has.balance + gained, allowance: has.allowance }, asker)
  const most = {
    settlement: least(totalOf(sales), handedOver + paid(sales, funds.core)),
    core: paid(purchases, funds.settlement),
  }
  const balance = (funds.settlement ?? funds.core)?.balance ?? null
  const together = most.settlement + most.core
  const total = balance === null ? together : least(together, handedOver + mostFor(orders, balance + gained, netCost))
  return { total: usd6(total), viaSpender: usd6(most[asker.spender]) }
}

/** The most that a taker is paid for options that it holds. */
function drawnFromPositions(
  sales: readonly ConfirmedOrder[],
  asker: Looker,
  { positionOf }: OutstandingOnChain,
): bigint {
  let drawn = 0n
  for (const promised of groupedBy(sales, ({ seriesId }) => seriesId).values()) {
    const { long, isApproved } = positionOf(promised[0])
    const worth = long * promised[0].collateralEach
    drawn += drawnThrough(promised, { balance: worth, allowance: isApproved ? worth : 0n }, asker, fullCost)
  }
  return drawn
}

/** The most collateral that comes back to a taker that buys to close what it has written. */
function releasedBy(purchases: readonly ConfirmedOrder[], { positionOf }: OutstandingOnChain): bigint {
  let released = 0n
  const closing = purchases.filter(({ closes }) => closes)
  for (const promised of groupedBy(closing, ({ seriesId }) => seriesId).values()) {
    const bought = promised.reduce((sum, { optionAmount }) => sum + optionAmount, 0n)
    released += least(positionOf(promised[0]).short, bought) * promised[0].collateralEach
  }
  return released
}

const totalOf = (orders: readonly OutstandingOrder[]): bigint => orders.reduce((sum, { amount }) => sum + amount, 0n)

type CostOf = (order: OutstandingOrder) => bigint

const fullCost: CostOf = ({ takerAmount }) => takerAmount

/** A seller is paid the premium before its collateral is taken, so it needs only the difference. */
const netCost: CostOf = ({ spender, amount, takerAmount }) =>
  spender === 'core' ? takerAmount : takerAmount - least(amount, takerAmount)

function drawnThrough(
  orders: readonly ConfirmedOrder[],
  { balance, allowance }: { balance: bigint; allowance: bigint },
  { now, approvalMs }: Pick<Looker, 'now' | 'approvalMs'>,
  costOf = netCost,
): bigint {
  const mayApprove = ({ confirmedAt }: ConfirmedOrder) => now - confirmedAt < approvalMs
  const young = totalOf(orders.filter(mayApprove))
  const rest = orders.filter((order) => !mayApprove(order))
  const restDrawn = least(mostFor(rest, balance, costOf), mostFor(rest, allowance, fullCost))
  return least(mostFor(orders, balance, costOf), young + restDrawn)
}

/**
 * The most that orders draw from their maker when their taker spends at most `budget` on them: orders that draw most for its
 * money come first, the last one in part. No choice of whole orders can draw more.
 */
function mostFor(orders: readonly OutstandingOrder[], budget: bigint, costOf: CostOf): bigint {
  const dearest = [...orders].sort((a, b) => (b.amount * costOf(a) > a.amount * costOf(b) ? 1 : -1))
  let left = budget
  let drawn = 0n
  for (const order of dearest) {
    const cost = costOf(order)
    if (cost > left) return drawn + (order.amount * left + cost - 1n) / cost
    left -= cost
    drawn += order.amount
  }
  return drawn
}

function groupedBy<Of>(list: readonly Of[], nameOf: (one: Of) => string): Map<string, [Of, ...Of[]]> {
  const groups = new Map<string, [Of, ...Of[]]>()
  for (const one of list) {
    const group = groups.get(nameOf(one))
    if (group === undefined) groups.set(nameOf(one), [one])
    else group.push(one)
  }
  return groups
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** Removal of what an open order needs, by its maker. */
export type Defunding = {
  /** Money, or an allowance to the contract that takes it, that its wallet lacks. */
  code: 'maker_insufficient_balance' | 'maker_insufficient_allowance'
  /** The final block in which it was read. */
  blockNumber: number
}

/** Payment that an open order requires of its wallet, in micro-dollars; `signedAt` in seconds of chain time. */
export type Promised = { spender: Spender; amount: Usd6; signedAt: number }

/** Funds of a wallet at a block's `time`, Unix seconds, for each spender that was asked for. */
export type FundsLook = { time: number; funds: Partial<Record<Spender, Funds>> }

/**
 * Open orders of a wallet, in the order of their signatures, that it cannot pay `now` beside the ones it signed before them,
 * although it could at the look `before` and `spent`, the most that fills have taken since, would have left enough. For an order
 * signed after that look, all that is known is that its wallet could pay for it when it signed: it counts alone, against the most
 * that fills have taken since it was signed, `spentSinceSigned`. So neither a fill nor a promise that was allowed because its
 * takers had little counts as the maker's doing.
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

/** The most that uses of a wallet's nonces have taken from it after the block `after`, up to the block `upTo`. */
export function mostSpent(uses: readonly NonceUse[], after: number, upTo: number): Usd6 {
  let spent = 0n
  for (const { fill, blockNumber } of uses) {
    if (fill === null || blockNumber <= after || blockNumber > upTo) continue
    // The option is not known here, and no option has a greater collateral.
    spent += fill.makerSelling ? fill.optionAmount * MOST_PAYOFF : fill.premiumAmount
  }
  return usd6(spent)
}

const plus = ({ balance, allowance }: Funds, amount: bigint): Funds => ({
  balance: usd6(balance + amount),
  allowance: usd6(allowance + amount),
})
