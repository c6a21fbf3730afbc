import { usdText } from '../domain/decimal.ts'
import { RfqError } from '../domain/errors.ts'
import { maxPayoff } from '../domain/option.ts'
import { makerObligation, type Order } from '../domain/order.ts'
import { createNonceCheck } from '../domain/order-end.ts'
import { fillContracts, premiumOf, type Quote, type QuoteSubmission } from '../domain/quote.ts'
import { type QuoteRequest, type RequestedOption, takesInventory } from '../domain/request.ts'
import {
  checkFunds,
  type Funds,
  fromInventoryOf,
  type Inventory,
  type OutstandingOnChain,
  type OutstandingOrder,
  otherOf,
  type Reserved,
  reservedFor,
  type Spender,
  unfilledOf,
  withLostLongs,
} from '../domain/reservation.ts'
import { type Address, type Contracts, contracts, type Usd6, usd6 } from '../domain/units.ts'
import { type Context, inBackground } from './context.ts'
import type { ChainEnvironment, Freshness, OrderEvents } from './ports/chain.ts'
import { allMaybe, type MaybePromise, thenMaybe } from './ports/maybe-promise.ts'
import type { Acceptance, OutstandingOrders } from './ports/store.ts'

/**
 * Whether a wallet can pay. `outstandingVersion` is of what it owed when that was judged, null where nothing is; `again` judges by
 * what it owes now, and by the funds that were read.
 */
export type Solvency = {
  shortfall: RfqError | null
  /** Whether it could not pay this alone either, and has signed no other order since that a fill may have taken the money of. */
  isOwnFault: boolean
  /** How many of the options come from those that the wallet holds. */
  fromInventory: Contracts
  outstandingVersion: number | null
  again: () => MaybePromise<Solvency>
}

/** How often what a wallet owes is looked at again because it has promised more meanwhile, elsewhere. */
export const MAX_TRIES = 20

/** What a wallet must pay, for whom, and what it has; `makerId` is null for whom only confirmed orders count. */
type Case = {
  maker: Address
  makerId: string | null
  order: Pick<Order, 'seriesId' | 'makerSelling' | 'optionAmount' | 'premiumAmount'>
  option: RequestedOption
  spender: Spender
  /** How many options come from what the wallet holds: as many as are free, unless that was decided before; null: none. */
  inventory: 'free' | Contracts | null
  /** The taker of a commit: null while there is only a quote. */
  taker: Address | null
  /** Since when the wallet promises this, Unix milliseconds. */
  promisedAt: number
  freshness: Freshness
  funds: Funds
  /** What it has of the series; nothing where its inventory does not count. */
  has: Inventory
  chainTime: number
}

type Asked = Omit<Case, 'funds' | 'has' | 'chainTime'>

/** What a judgement reads. */
type Judges = Pick<Context, 'chain' | 'orderEvents' | 'store' | 'settings' | 'clock'>

/** No one looks where there is no chain (decision C12). */
const UNJUDGED: Solvency = {
  shortfall: null,
  isOwnFault: false,
  fromInventory: contracts(0n),
  outstandingVersion: null,
  again: () => UNJUDGED,
}

const NOTHING_OWED: Reserved = { total: usd6(0n), viaSpender: usd6(0n), longs: contracts(0n) }

const NOTHING_HELD: Inventory = { long: contracts(0n), short: contracts(0n), isApproved: false }

/**
 * Whether a maker's wallet can stand behind a quote: it must hold and have approved what the fill takes on top of what the
 * wallet owes already (decision C13). Fails with `chain_unavailable` when that cannot be read. `taker` is whoever commits.
 */
export function judgeQuote(
  context: Judges,
  request: QuoteRequest,
  offer: Pick<QuoteSubmission, 'maker' | 'price' | 'size'> & { makerId: string; pricedAt?: number },
  { freshness, taker }: { freshness: Freshness; taker: Address | null },
): MaybePromise<Solvency> {
  if (context.orderEvents === null) return UNJUDGED
  const { maker, makerId, price, pricedAt: promisedAt = context.clock.now() } = offer
  const optionAmount = fillContracts(request.trade, offer)
  const { seriesId, option } = request
  const makerSelling = request.trade.side === 'buy'
  const order = { seriesId, makerSelling, optionAmount, premiumAmount: premiumOf(optionAmount, price) }
  const inventory = makerSelling && takesInventory(request) ? 'free' : null
  const { spender } = makerObligation(order, option)
  return judge(context, { maker, makerId, taker, promisedAt, freshness, order, option, spender, inventory })
}

/** Whether the wallet of an order that its maker has signed can pay it beside all other orders that were signed. */
export function judgeSigned(context: Judges, acceptance: Acceptance): MaybePromise<Solvency> {
  const { order, option, quote, fromInventory = null } = acceptance
  const { maker } = order
  const asked = { maker, makerId: null, taker: null, promisedAt: quote.pricedAt, freshness: 'latest' } as const
  const { spender } = makerObligation(order, option)
  return judge(context, { ...asked, order, option, spender, inventory: order.makerSelling ? fromInventory : null })
}

/** All that does not need an earlier answer is asked in one turn, so that it reaches the node as one batch. */
function judge(context: Judges, asked: Asked): MaybePromise<Solvency> {
  const { chain } = context
  const { maker, order, spender, freshness } = asked
  // Chain time does not go back: what was owed a few seconds ago holds all that is owed now.
  const recently = chain.time('cached')
  const answers = allMaybe([
    chain.funds(maker, spender, freshness),
    asked.inventory === null ? NOTHING_HELD : chain.inventory(maker, order.seriesId, freshness),
    freshness === 'cached' ? recently : chain.time(freshness),
    thenMaybe(recently, (time) => context.store.acceptances.outstandingOf(maker, time)),
  ])
  return thenMaybe(answers, ([funds, has, chainTime, outstanding]) =>
    judgeOutstanding(context, { ...asked, funds, has, chainTime }, outstanding),
  )
}

/**
 * By all that the wallet may owe first, which costs nothing: most wallets can pay that, too. Only for the others the chain is
 * asked which orders have ended since, and whose takers can pay.
 */
function judgeOutstanding(context: Judges, at: Case, outstanding: OutstandingOrders): MaybePromise<Solvency> {
  const again = () =>
    thenMaybe(context.store.acceptances.outstandingOf(at.maker, at.chainTime), (now) =>
      judgeOutstanding(context, at, now),
    )
  const found = ({ shortfall, fromInventory }: Verdict, then: Case) => {
    const isOwnFault =
      shortfall?.code !== 'too_many_unfilled_orders' &&
      lacks(then, NOTHING_OWED).code !== null &&
      !outstanding.orders.some(mayHaveTaken)
    return { shortfall, isOwnFault, fromInventory, outstandingVersion: outstanding.version, again }
  }
  /** Whether a fill of it may have taken money since: one that ended may be of a taker which could not pay for it before. */
  const mayHaveTaken = ({ confirmedAt, endedIn }: OutstandingOrder) =>
    confirmedAt !== null && (confirmedAt >= at.promisedAt || endedIn !== null)
  const verdict = verdictOn(context, at, outstanding, null)
  if (verdict.shortfall === null || outstanding.orders.every(({ confirmedAt }) => confirmedAt === null))
    return found(verdict, at)
  return readOutstanding(context, at, outstanding).then(([funds, has, onChain]) => {
    const then = { ...at, funds, has }
    return found(verdictOn(context, then, outstanding, onChain), then)
  })
}

type Verdict = Pick<Solvency, 'shortfall' | 'fromInventory'>

function verdictOn(
  context: Pick<Context, 'settings' | 'clock' | 'chain'>,
  at: Case,
  { orders }: OutstandingOrders,
  onChain: OutstandingOnChain | null,
): Verdict {
  const { settings, clock, chain } = context
  const unfilled = at.taker === null ? [] : unfilledOf(orders, at.taker, at.chainTime, onChain)
  const reserved = reservedFor(orders, { ...at, seriesId: at.order.seriesId, now: clock.now() }, onChain)
  const lacking = lacks(at, reserved)
  const { code, fromInventory } = lacking
  if (settings.maxUnfilledOrders > 0 && unfilled.length >= settings.maxUnfilledOrders)
    return { shortfall: tooMany(unfilled, at.chainTime), fromInventory }
  return { shortfall: code === null ? null : shortfall(code, at, lacking, chain.environment), fromInventory }
}

/** What a wallet must find beside what it owes, and what it lacks; what comes from its inventory takes no money. */
type Lacking = {
  code: ReturnType<typeof checkFunds>
  amount: Usd6
  reserved: Reserved
  fromInventory: Contracts
  longs: 'enough' | 'too few'
}

function lacks({ order, option, inventory, funds, has }: Case, owed: Reserved): Lacking {
  if (inventory === null) {
    const { amount } = makerObligation(order, option)
    const fromInventory = contracts(0n)
    return { code: checkFunds(funds, amount, owed), amount, reserved: owed, fromInventory, longs: 'enough' }
  }
  const free = fromInventoryOf(order.optionAmount, has, owed)
  const fromInventory = inventory === 'free' ? free : inventory
  const { amount } = makerObligation(order, option, fromInventory)
  const reserved = withLostLongs(owed, has, maxPayoff(option))
  if (fromInventory > free) {
    return { code: 'maker_insufficient_balance', amount, reserved, fromInventory, longs: 'too few' }
  }
  return { code: checkFunds(funds, amount, reserved), amount, reserved, fromInventory, longs: 'enough' }
}

/**
 * Catches up with the chain's events, once for all that ask meanwhile, and reads the funds in the very block that they were read
 * to: by funds of before a fill and an end of after it the wallet would have the same money twice, and by a taker's of after it,
 * with an order that still counts, other orders of its would reserve too little. An end that another node has kept counts from
 * its block on. An order that is filled later than this block still counts, which can only refuse too much.
 */
async function readOutstanding(
  { chain, orderEvents }: Judges,
  { maker, order, spender, inventory, freshness }: Case,
  { orders }: OutstandingOrders,
): Promise<[Funds, Inventory, OutstandingOnChain]> {
  const { readTo, uses } = await (orderEvents as OrderEvents).read(freshness)
  if (readTo === null) throw new RfqError('chain_unavailable')
  const isUsed = createNonceCheck(uses.get(maker.toLowerCase()) ?? [])
  const hasEnded = ({ nonce, endedIn }: OutstandingOrder) =>
    (endedIn !== null && endedIn <= readTo.block) || isUsed(nonce)
  const open = orders.filter((order) => order.confirmedAt !== null && !hasEnded(order))
  const payers = [...new Map(open.map(({ taker, spender }) => [`${taker} ${spender}`, { taker, spender }])).values()]
  const asked = payers.map((payer) => ({ wallet: payer.taker, spender: otherOf(payer.spender) }))
  const [[funds, ...has], [held = NOTHING_HELD]] = await Promise.all([
    chain.fundsAt([{ wallet: maker, spender }, ...asked], readTo),
    inventory === null ? [] : chain.inventoryAt([{ wallet: maker, seriesId: order.seriesId }], readTo),
  ])
  const takers = new Map<Address, Partial<Record<Spender, Funds>>>()
  payers.forEach((payer, i) => {
    takers.set(payer.taker, { ...takers.get(payer.taker), [otherOf(payer.spender)]: has[i] })
  })
  return [funds as Funds, held, { hasEnded, takers }]
}

/**
 * Notes that a wallet could not pay what was quoted from it, where that is the maker's fault. An order that it has signed since may be
 * filled, and over, so that it does not count as owed any more: then it has paid, with the same money.
 */
export function noteInsolvent(
  context: Pick<Context, 'store' | 'records' | 'log'>,
  { makerId, requestId, quoteId, pricedAt }: Quote,
  { isOwnFault }: Pick<Solvency, 'isOwnFault'>,
): void {
  if (!isOwnFault) return
  inBackground(context, 'insolvency_not_noted', async () => {
    const signers = await context.store.executions.confirmedBy([makerId], pricedAt)
    if (!signers.has(makerId)) context.records.note(makerId, { kind: 'insolvent', requestId, quoteId })
  })
}

/** Beyond what any taker leaves unfilled on purpose: each of these makes a maker's quotes dearer to judge. */
function tooMany(unfilled: readonly { validUntil: number }[], chainTime: number): RfqError {
  const next = Math.min(...unfilled.map(({ validUntil }) => validUntil))
  return new RfqError('too_many_unfilled_orders', { data: { retryAfterS: Math.max(1, next - chainTime + 1) } })
}

function shortfall(
  code: NonNullable<ReturnType<typeof checkFunds>>,
  { maker, order, spender, inventory, funds, has }: Case,
  { amount, reserved, fromInventory, longs }: Lacking,
  environment: ChainEnvironment,
): RfqError {
  const address = spender === 'core' ? environment.coreAddress : environment.settlementAddress
  if (longs === 'too few') {
    return new RfqError(code, {
      detail: `Wallet ${maker} holds ${has.long} options of series ${order.seriesId}${has.isApproved ? '' : ', not approved to the settlement contract'}; this fill takes ${fromInventory} of them and ${reserved.longs} are already promised.`,
    })
  }
  const counted =
    inventory === null || !has.isApproved
      ? ''
      : ` Of its ${has.long} options of the series ${fromInventory} are counted and ${reserved.longs} are already promised.`
  const money =
    code === 'maker_insufficient_balance'
      ? `Wallet ${maker} holds ${usdText(funds.balance)}; this fill needs ${usdText(amount)} and ${usdText(reserved.total)} is already promised.`
      : `Wallet ${maker} has approved ${usdText(funds.allowance)} to ${address} (${spender}); this fill needs ${usdText(amount)} and ${usdText(reserved.viaSpender)} is already promised. Approve more to ${address}.`
  return new RfqError(code, { detail: `${money}${counted}` })
}
