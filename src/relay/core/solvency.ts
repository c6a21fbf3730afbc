import { usdText } from '@rfqctl/protocol/domain/decimal'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import { maxPayoff } from '@rfqctl/protocol/domain/option'
import { makerObligation, type Order } from '@rfqctl/protocol/domain/order'
import { createNonceCheck } from '@rfqctl/protocol/domain/order-end'
import { fillContracts, premiumOf, type Quote, type QuoteSubmission } from '@rfqctl/protocol/domain/quote'
import { onSide, type QuoteRequest, type RequestedOption, takesInventory } from '@rfqctl/protocol/domain/request'
import {
  checkFunds,
  type Drawn,
  type Funds,
  fromInventoryOf,
  type Inventory,
  moneyNeeded,
  NOTHING_OWED,
  type OutstandingOnChain,
  type OutstandingOrder,
  otherOf,
  type Reserved,
  reservedOnce,
  type Spender,
  unfilledOf,
  withOrder,
} from '@rfqctl/protocol/domain/reservation'
import type { SeriesId } from '@rfqctl/protocol/domain/series'
import { type Address, type Contracts, contracts, type Usd6, usd6 } from '@rfqctl/protocol/domain/units'
import type { Context } from './context.ts'
import type {
  BlockMark,
  ChainEnvironment,
  Freshness,
  OrderEvents,
  OrderEventsRead,
  WalletSeries,
} from './ports/chain.ts'
import { allMaybe, type MaybePromise, thenMaybe } from './ports/maybe-promise.ts'
import type { Acceptance, OutstandingOrders } from './ports/store.ts'

/**
 * `outstandingVersion` is the version of the wallet's debts that this judgement used, null if there are none to judge.
 * `again` judges by the current debts and the funds already read.
 */
export type Solvency = {
  shortfall: RfqError | null
  /** True if the wallet could not pay this order alone either, and no other fill may have taken the money since. */
  isOwnFault: boolean
  fromInventory: Contracts
  outstandingVersion: number | null
  again: () => MaybePromise<Solvency>
}

/** Retries after the wallet's debts changed elsewhere during a judgement. */
export const MAX_TRIES = 20

/** Bounds one judgement's reads of takers' funds, and of their positions. */
const MAX_LOOKED_AT = 512

/** `makerId` is null if only confirmed orders count. */
type Case = {
  maker: Address
  makerId: string | null
  order: Pick<Order, 'seriesId' | 'makerSelling' | 'optionAmount' | 'premiumAmount'>
  option: RequestedOption
  spender: Spender
  /** `free` uses all unreserved options; a number was decided earlier; null uses none. */
  inventory: 'free' | Contracts | null
  /** The taker of a commit; null for a quote without a commit, and once its maker has signed. */
  taker: Address | null
  /** True for a plain quote, whose taker may still prove its wallet. */
  isProven: boolean
  /** Start of the wallet's promise, Unix milliseconds. */
  promisedAt: number
  freshness: Freshness
  funds: Funds
  /** Empty if inventory does not count or was not read. */
  holds: (seriesId: SeriesId) => Inventory
  chainTime: number
}

type Asked = Omit<Case, 'funds' | 'holds' | 'chainTime'>

type Judges = Pick<Context, 'chain' | 'orderEvents' | 'store' | 'settings' | 'clock'>

/** Without a chain nothing is judged (decision C12). */
const UNJUDGED: Solvency = {
  shortfall: null,
  isOwnFault: false,
  fromInventory: contracts(0n),
  outstandingVersion: null,
  again: () => UNJUDGED,
}

const NOTHING_HELD: Inventory = { long: contracts(0n), short: contracts(0n), isApproved: false }

/**
 * A maker's wallet must hold and have approved the fill's amount on top of its debts (decision C13). Fails with
 * `chain_unavailable`. `taker` is the committing taker.
 */
export function judgeQuote(
  context: Judges,
  request: QuoteRequest,
  offer: Pick<QuoteSubmission, 'maker' | 'side' | 'price' | 'size'> & { makerId: string; pricedAt?: number },
  { freshness, taker, isProven = true }: { freshness: Freshness; taker: Address | null; isProven?: boolean },
): MaybePromise<Solvency> {
  const { maker, makerId, side, price, pricedAt: promisedAt = context.clock.now() } = offer
  const optionAmount = fillContracts(onSide(request, side).trade, offer)
  const { seriesId, option } = request
  const makerSelling = side === 'buy'
  const order = { seriesId, makerSelling, optionAmount, premiumAmount: premiumOf(optionAmount, price) }
  const inventory = makerSelling && takesInventory(request) ? 'free' : null
  const { spender } = makerObligation(order, option)
  return judge(context, { maker, makerId, taker, isProven, promisedAt, freshness, order, option, spender, inventory })
}

export function judgeSigned(context: Judges, acceptance: Acceptance): MaybePromise<Solvency> {
  const { order, option, quote, fromInventory = null, proven: isProven = false } = acceptance
  const { maker } = order
  const { spender } = makerObligation(order, option)
  const inventory = order.makerSelling ? fromInventory : null
  const asked = { maker, makerId: null, taker: null, isProven, promisedAt: quote.pricedAt, order, option, spender }
  return judge(context, { ...asked, inventory, freshness: 'latest' })
}

/** Every read that needs no earlier answer starts in the same turn, so that the node gets one batch. */
function judge(context: Judges, asked: Asked): MaybePromise<Solvency> {
  if (context.orderEvents === null) return UNJUDGED
  const { chain } = context
  const { maker, order, spender, freshness } = asked
  // Chain time never goes back: the debts of a few seconds ago include all current ones.
  const recently = chain.time('cached')
  const answers = allMaybe([
    chain.funds(maker, spender, freshness),
    asked.inventory === null ? NOTHING_HELD : chain.inventory(maker, order.seriesId, freshness),
    freshness === 'cached' ? recently : chain.time(freshness),
    thenMaybe(recently, (time) => context.store.acceptances.outstandingOf(maker, time)),
  ])
  return thenMaybe(answers, ([funds, has, chainTime, outstanding]) => {
    const holds = (seriesId: SeriesId) => (seriesId === order.seriesId ? has : NOTHING_HELD)
    return judgeOutstanding(context, { ...asked, funds, holds, chainTime }, outstanding)
  })
}

/**
 * Tries the upper bound of the wallet's debts first, which costs no read and which most wallets can pay. Only then the
 * chain is asked which orders have ended, and which takers can pay.
 */
function judgeOutstanding(context: Judges, at: Case, outstanding: OutstandingOrders): MaybePromise<Solvency> {
  const again = () =>
    thenMaybe(context.store.acceptances.outstandingOf(at.maker, at.chainTime), (now) =>
      judgeOutstanding(context, at, now),
    )
  const found = ({ shortfall, fromInventory }: Verdict, then: Case) => {
    const isOwnFault =
      shortfall?.code !== 'too_many_unfilled_orders' &&
      !(shortfall !== null && wantsProof(shortfall)) &&
      lacks(then, NOTHING_OWED).code !== null &&
      !outstanding.orders.some(mayHaveTaken)
    return { shortfall, isOwnFault, fromInventory, outstandingVersion: outstanding.version, again }
  }
  /** A fill may have taken money since; an ended order may belong to a taker that could not pay for it before. */
  const mayHaveTaken = ({ confirmedAt, endedIn }: OutstandingOrder) =>
    confirmedAt !== null && (confirmedAt >= at.promisedAt || endedIn !== null)
  const verdict = verdictOn(context, at, outstanding, null)
  const isAllKnown = ({ confirmedAt, longs }: OutstandingOrder) =>
    confirmedAt === null && (longs === 0n || at.inventory === null)
  if (verdict.shortfall === null || outstanding.orders.every(isAllKnown)) return found(verdict, at)
  return readBeside(context, at, outstanding).then(({ onChain, ...read }) => {
    const then = { ...at, ...read }
    const verdict = verdictOn(context, then, outstanding, onChain)
    if (verdict.shortfall === null || at.taker === null || at.isProven) return found(verdict, then)
    const proven = verdictOn(context, { ...then, isProven: true }, outstanding, onChain)
    if (proven.shortfall !== null) return found(verdict, then)
    return found({ ...verdict, shortfall: forWantOfProof(verdict.shortfall) }, then)
  })
}

/**
 * The shortage comes only from commits without a proof, so a proof would help: the one refusal that a taker can fix
 * alone. The shortage keeps the specification's name.
 */
function forWantOfProof({ code, message }: RfqError): RfqError {
  if (code === 'too_many_unfilled_orders') return new RfqError('proof_required')
  return new RfqError(code, { detail: `${message} ${PROOF_HELPS}`, data: { proofRequired: true } })
}

const PROOF_HELPS = 'A commit with a proof of its wallet is not held up by this.'

/** True if the only reason for the refusal is that the taker has proved no wallet. */
export const wantsProof = ({ code, data }: Pick<RfqError, 'code' | 'data'>): boolean =>
  code === 'proof_required' || data.proofRequired === true

type Verdict = Pick<Solvency, 'shortfall' | 'fromInventory'>

function verdictOn(
  { settings, clock, chain }: Judges,
  at: Case,
  { orders }: OutstandingOrders,
  onChain: OutstandingOnChain | null,
): Verdict {
  const unfilled = at.taker === null ? [] : unfilledOf(orders, at.taker, at, onChain)
  const { makerId, spender, chainTime, isProven } = at
  const asker = { makerId, spender, seriesId: at.order.seriesId, chainTime, now: clock.now(), isProven }
  const reserved = reservedOnce(orders, asker, onChain)
  const lacking = lacks(at, reserved)
  const { code, fromInventory } = lacking
  if (settings.maxUnfilledOrders > 0 && unfilled.length >= settings.maxUnfilledOrders)
    return { shortfall: tooMany(unfilled, at.chainTime), fromInventory }
  return { shortfall: code === null ? null : shortfall(code, at, lacking, chain.environment), fromInventory }
}

/** Options from inventory need no money. */
type Lacking = {
  code: ReturnType<typeof checkFunds>
  amount: Usd6
  reserved: Drawn
  fromInventory: Contracts
  longs: 'enough' | 'too few'
  promisedLongs: Contracts
}

function lacks({ order, option, inventory, funds, holds }: Case, owed: Reserved): Lacking {
  const { seriesId, optionAmount } = order
  const free = fromInventoryOf(optionAmount, holds(seriesId), owed)
  const fromInventory = inventory === null || inventory === 'free' ? free : inventory
  const { amount: most } = makerObligation(order, option)
  const all = withOrder(owed, { amount: most, longs: fromInventory, seriesId, collateralEach: maxPayoff(option) })
  const needed = moneyNeeded(all, holds)
  // Options replace the whole amount of their own part, or nothing.
  const amount = needed.total === all.total ? most : makerObligation(order, option, fromInventory).amount
  const beside = (part: Usd6) => usd6(part > amount ? part - amount : 0n)
  const reserved = { total: beside(needed.total), viaSpender: beside(needed.viaSpender) }
  const longs = fromInventory > free ? 'too few' : 'enough'
  const code = longs === 'too few' ? 'maker_insufficient_balance' : checkFunds(funds, usd6(0n), needed)
  return { code, amount, reserved, fromInventory, longs, promisedLongs: owed.longs }
}

type OutstandingRead = Pick<Case, 'funds' | 'holds'> & { onChain: OutstandingOnChain }

/**
 * Events read some seconds ago may be of an older block than the funds: they are read again, so that a wallet funded a
 * moment ago is not refused because of the earlier block.
 */
async function readBeside(context: Judges, at: Case, outstanding: OutstandingOrders): Promise<OutstandingRead> {
  const read = await readOutstanding(context, at, outstanding)
  const isOlder = read.funds.balance < at.funds.balance || read.funds.allowance < at.funds.allowance
  return at.freshness === 'cached' && isOlder
    ? readOutstanding(context, { ...at, freshness: 'latest' }, outstanding)
    : read
}

/**
 * Catches up with the chain's events, once for all concurrent callers, and reads the funds at that same block. Funds
 * from before a fill with its end from after it would count the same money twice; a taker's funds from after it, with
 * the order still open, would reserve too little for its other orders. An end that another node recorded counts from
 * its block on. An order filled after this block still counts, which can only refuse too much.
 */
async function readOutstanding(
  { chain, orderEvents }: Judges,
  at: Case,
  { orders }: OutstandingOrders,
): Promise<OutstandingRead> {
  const { readTo, uses } = await (orderEvents as OrderEvents).read(at.freshness)
  if (readTo === null) throw new RfqError('chain_unavailable')
  const known = readBefore.get(orders) ?? new Map<string, Promise<OutstandingRead>>()
  const name = `${readTo.hash} ${at.maker} ${at.spender} ${at.inventory !== null} ${at.order.seriesId}`
  const before = known.get(name)
  if (before !== undefined) return before
  if (known.size >= READS_KEPT) known.clear()
  const read = readAtBlock(chain, at, { orders, readTo, uses })
  readBefore.set(orders, known.set(name, read))
  read.catch(() => known.delete(name))
  return read
}

/** Reads that are remembered for one list of orders. */
const READS_KEPT = 64

/** Reads by list of orders: a block says the same for all quotes that ask while the list is the same. */
const readBefore = new WeakMap<readonly OutstandingOrder[], Map<string, Promise<OutstandingRead>>>()

async function readAtBlock(
  chain: Judges['chain'],
  { maker, order, spender, inventory }: Case,
  { orders, readTo, uses }: Pick<OutstandingOrders, 'orders'> & Pick<OrderEventsRead, 'uses'> & { readTo: BlockMark },
): Promise<OutstandingRead> {
  const isUsed = createNonceCheck(uses.get(maker.toLowerCase()) ?? [])
  const hasEnded = ({ nonce, endedIn }: OutstandingOrder) =>
    (endedIn !== null && endedIn <= readTo.block) || isUsed(nonce)
  const open = orders.filter((order) => !hasEnded(order))
  const signed = open.filter(({ confirmedAt }) => confirmedAt !== null).sort(surestFirst)
  const payers = mostOf(new Map(signed.map((order) => [payerOf(order), order])))
  const asked = [...payers.values()].map((payer) => ({ wallet: payer.taker, spender: otherOf(payer.spender) }))
  const kept = inventory === null ? [] : [order, ...open.filter(({ longs }) => longs > 0n)]
  const byName = (sources: readonly WalletSeries[]) => new Map(sources.map((source) => [nameOf(source), source]))
  const positions = new Map([
    ...byName(kept.map(({ seriesId }) => ({ wallet: maker, seriesId }))),
    ...mostOf(byName(signed.filter(fillsFromPosition).map(({ taker, seriesId }) => ({ wallet: taker, seriesId })))),
  ])
  const [[funds, ...has], held] = await Promise.all([
    chain.fundsAt([{ wallet: maker, spender }, ...asked], readTo),
    chain.inventoryAt([...positions.values()], readTo),
  ])
  const takers = new Map<Address, Partial<Record<Spender, Funds>>>()
  for (const [i, payer] of [...payers.values()].entries()) {
    takers.set(payer.taker, { ...takers.get(payer.taker), [otherOf(payer.spender)]: has[i] })
  }
  const inventories = new Map([...positions.keys()].map((name, i) => [name, held[i]]))
  const inventoryOf = (source: WalletSeries) => inventories.get(nameOf(source)) ?? NOTHING_HELD
  const isLookedAt = (order: OutstandingOrder) =>
    payers.has(payerOf(order)) &&
    (!fillsFromPosition(order) || positions.has(nameOf({ wallet: order.taker, seriesId: order.seriesId })))
  const own = { ...(funds as Funds), long: inventoryOf({ wallet: maker, seriesId: order.seriesId }).long }
  const positionOf: OutstandingOnChain['positionOf'] = ({ taker, seriesId }) => inventoryOf({ wallet: taker, seriesId })
  return {
    funds: funds as Funds,
    holds: (seriesId) => inventoryOf({ wallet: maker, seriesId }),
    onChain: { hasEnded, own, isLookedAt, takers, positionOf },
  }
}

/** Bounds the reads: anyone can create any number of takers. */
const mostOf = <Value>(sources: ReadonlyMap<string, Value>): Map<string, Value> =>
  new Map([...sources].slice(0, MAX_LOOKED_AT))

const payerOf = ({ taker, spender }: OutstandingOrder): string => `${taker} ${spender}`

const nameOf = ({ wallet, seriesId }: WalletSeries): string => `${seriesId} ${wallet}`

/**
 * A selling taker may hand over its holdings whatever it declared; a buying one has declared whether it closes what it
 * has written.
 */
const fillsFromPosition = ({ spender, closes }: OutstandingOrder): boolean => spender === 'settlement' || closes

/**
 * Counts only what is the maker's fault. Another order of the wallet, under any maker, may have been filled and ended
 * since, so that it no longer counts as a debt although it used the same money: one fill by a stranger may have emptied
 * the wallet.
 */
export function noteInsolvent(
  context: Pick<Context, 'store' | 'orderEvents' | 'records' | 'background'>,
  { makerId, maker, requestId, quoteId, pricedAt }: Quote,
  { isOwnFault }: Pick<Solvency, 'isOwnFault'>,
): void {
  if (!isOwnFault) return
  context.background.run('insolvency_not_noted', async () => {
    const [hasPaid, events] = await Promise.all([
      context.store.executions.mayHavePaid(maker, pricedAt),
      context.orderEvents?.read('cached'),
    ])
    if (hasPaid || isFilledLately(maker, events)) return
    context.records.note(makerId, { kind: 'insolvent', requestId, quoteId })
  })
}

/** A fill in a block that is not final has no recorded end yet. */
function isFilledLately(maker: Address, events: OrderEventsRead | undefined): boolean {
  const uses = events?.uses.get(maker.toLowerCase()) ?? []
  return uses.some(({ fill, blockNumber }) => fill !== null && blockNumber > (events?.final?.block ?? -1))
}

/** Takers with a proved wallet first, then the newest. */
const surestFirst = (a: OutstandingOrder, b: OutstandingOrder): number =>
  Number(b.isProven) - Number(a.isProven) || (b.confirmedAt ?? 0) - (a.confirmedAt ?? 0)

/** More than any taker leaves unfilled on purpose; each makes the maker's quotes more expensive to judge. */
function tooMany(unfilled: readonly { validUntil: number }[], chainTime: number): RfqError {
  const next = Math.min(...unfilled.map(({ validUntil }) => validUntil))
  return new RfqError('too_many_unfilled_orders', { data: { retryAfterS: Math.max(1, next - chainTime + 1) } })
}

function shortfall(
  code: NonNullable<ReturnType<typeof checkFunds>>,
  { maker, order, spender, inventory, funds, holds }: Case,
  { amount, reserved, fromInventory, longs, promisedLongs }: Lacking,
  environment: ChainEnvironment,
): RfqError {
  const has = holds(order.seriesId)
  const address = spender === 'core' ? environment.coreAddress : environment.settlementAddress
  if (longs === 'too few') {
    return new RfqError(code, {
      detail: `Wallet ${maker} holds ${has.long} options of series ${order.seriesId}${has.isApproved ? '' : ', not approved to the settlement contract'}; this fill takes ${fromInventory} of them and ${promisedLongs} are already promised.`,
    })
  }
  const counted =
    inventory === null || !has.isApproved
      ? ''
      : ` Of its ${has.long} options of the series ${fromInventory} are counted and ${promisedLongs} are already promised.`
  const money =
    code === 'maker_insufficient_balance'
      ? `Wallet ${maker} holds ${usdText(funds.balance)}; this fill needs ${usdText(amount)} and ${usdText(reserved.total)} is already promised.`
      : `Wallet ${maker} has approved ${usdText(funds.allowance)} to ${address} (${spender}); this fill needs ${usdText(amount)} and ${usdText(reserved.viaSpender)} is already promised. Approve more to ${address}.`
  return new RfqError(code, { detail: `${money}${counted}` })
}
