import { usdText } from '@rfqctl/protocol/domain/decimal'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import { maxPayoff } from '@rfqctl/protocol/domain/option'
import { makerObligation, type Order } from '@rfqctl/protocol/domain/order'
import { createNonceCheck } from '@rfqctl/protocol/domain/order-end'
import { fillContracts, premiumOf, type Quote, type QuoteSubmission } from '@rfqctl/protocol/domain/quote'
import { type QuoteRequest, type RequestedOption, takesInventory } from '@rfqctl/protocol/domain/request'
import {
  checkFunds,
  type Drawn,
  type Funds,
  fromInventoryOf,
  type Inventory,
  moneyNeeded,
  type OutstandingOnChain,
  type OutstandingOrder,
  otherOf,
  type Reserved,
  reservedFor,
  type Spender,
  unfilledOf,
  withOrder,
} from '@rfqctl/protocol/domain/reservation'
import type { SeriesId } from '@rfqctl/protocol/domain/series'
import { type Address, type Contracts, contracts, type Usd6, usd6 } from '@rfqctl/protocol/domain/units'
import type { Context } from './context.ts'
import type { ChainEnvironment, Freshness, OrderEvents, OrderEventsRead, WalletSeries } from './ports/chain.ts'
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

/** How many takers' funds one judgement reads at most, and how many positions of theirs. */
const MAX_LOOKED_AT = 512

/** What a wallet must pay, for whom, and what it has; `makerId` is null for whom only confirmed orders count. */
type Case = {
  maker: Address
  makerId: string | null
  order: Pick<Order, 'seriesId' | 'makerSelling' | 'optionAmount' | 'premiumAmount'>
  option: RequestedOption
  spender: Spender
  /** How many options come from what the wallet holds: as many as are free, unless that was decided before; null: none. */
  inventory: 'free' | Contracts | null
  /** The taker of a commit: null while there is only a quote, and once its maker has signed. */
  taker: Address | null
  /** Whether that taker has proved its wallet; a quote is for one that may. */
  isProven: boolean
  /** Since when the wallet promises this, Unix milliseconds. */
  promisedAt: number
  freshness: Freshness
  funds: Funds
  /** What it has of a series; nothing where its inventory does not count, or was not read. */
  holds: (seriesId: SeriesId) => Inventory
  chainTime: number
}

type Asked = Omit<Case, 'funds' | 'holds' | 'chainTime'>

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

const NOTHING_OWED: Reserved = reservedFor(
  [],
  { makerId: null, spender: 'core', seriesId: '', chainTime: 0, now: 0, isProven: false },
  null,
)

const NOTHING_HELD: Inventory = { long: contracts(0n), short: contracts(0n), isApproved: false }

/**
 * Whether a maker's wallet can stand behind a quote: it must hold and have approved what the fill takes on top of what the
 * wallet owes already (decision C13). Fails with `chain_unavailable` when that cannot be read. `taker` is whoever commits.
 */
export function judgeQuote(
  context: Judges,
  request: QuoteRequest,
  offer: Pick<QuoteSubmission, 'maker' | 'price' | 'size'> & { makerId: string; pricedAt?: number },
  { freshness, taker, isProven = true }: { freshness: Freshness; taker: Address | null; isProven?: boolean },
): MaybePromise<Solvency> {
  if (context.orderEvents === null) return UNJUDGED
  const { maker, makerId, price, pricedAt: promisedAt = context.clock.now() } = offer
  const optionAmount = fillContracts(request.trade, offer)
  const { seriesId, option } = request
  const makerSelling = request.trade.side === 'buy'
  const order = { seriesId, makerSelling, optionAmount, premiumAmount: premiumOf(optionAmount, price) }
  const inventory = makerSelling && takesInventory(request) ? 'free' : null
  const { spender } = makerObligation(order, option)
  return judge(context, { maker, makerId, taker, isProven, promisedAt, freshness, order, option, spender, inventory })
}

/** Whether the wallet of an order that its maker has signed can pay it beside all other orders that were signed. */
export function judgeSigned(context: Judges, acceptance: Acceptance): MaybePromise<Solvency> {
  const { order, option, quote, fromInventory = null, proven: isProven = false } = acceptance
  const { maker } = order
  const asked = {
    maker,
    makerId: null,
    taker: null,
    isProven,
    promisedAt: quote.pricedAt,
    freshness: 'latest',
  } as const
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
  return thenMaybe(answers, ([funds, has, chainTime, outstanding]) => {
    const holds = (seriesId: SeriesId) => (seriesId === order.seriesId ? has : NOTHING_HELD)
    return judgeOutstanding(context, { ...asked, funds, holds, chainTime }, outstanding)
  })
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
      !(shortfall !== null && wantsProof(shortfall)) &&
      lacks(then, NOTHING_OWED).code !== null &&
      !outstanding.orders.some(mayHaveTaken)
    return { shortfall, isOwnFault, fromInventory, outstandingVersion: outstanding.version, again }
  }
  /** Whether a fill of it may have taken money since: one that ended may be of a taker which could not pay for it before. */
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
    return found(
      proven.shortfall === null ? { ...verdict, shortfall: forWantOfProof(verdict.shortfall) } : verdict,
      then,
    )
  })
}

/**
 * What only others without a proof have taken, so that a proof would help: the one refusal that a taker can mend by itself. What is short is
 * named as the specification has it.
 */
function forWantOfProof({ code, message }: RfqError): RfqError {
  if (code === 'too_many_unfilled_orders') return new RfqError('proof_required')
  return new RfqError(code, { detail: `${message} ${PROOF_HELPS}`, data: { proofRequired: true } })
}

const PROOF_HELPS = 'A commit with a proof of its wallet is not held up by this.'

/** Whether a taker was refused for nothing but that it has proved no wallet. */
export const wantsProof = ({ code, data }: Pick<RfqError, 'code' | 'data'>): boolean =>
  code === 'proof_required' || data.proofRequired === true

type Verdict = Pick<Solvency, 'shortfall' | 'fromInventory'>

function verdictOn(
  context: Pick<Context, 'settings' | 'clock' | 'chain'>,
  at: Case,
  { orders }: OutstandingOrders,
  onChain: OutstandingOnChain | null,
): Verdict {
  const { settings, clock, chain } = context
  const unfilled = at.taker === null ? [] : unfilledOf(orders, at.taker, at, onChain)
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
  // Options stand in for their own part of it, or for none.
  const amount = needed.total === all.total ? most : makerObligation(order, option, fromInventory).amount
  const beside = (part: Usd6) => usd6(part > amount ? part - amount : 0n)
  const reserved = { total: beside(needed.total), viaSpender: beside(needed.viaSpender) }
  const longs = fromInventory > free ? 'too few' : 'enough'
  const code = longs === 'too few' ? 'maker_insufficient_balance' : checkFunds(funds, usd6(0n), needed)
  return { code, amount, reserved, fromInventory, longs, promisedLongs: owed.longs }
}

type OutstandingRead = Pick<Case, 'funds' | 'holds'> & { onChain: OutstandingOnChain }

/**
 * Events that were read some seconds ago lead to a block that may be older than the money which the wallet was just seen to have:
 * then they are read again, so that a wallet that was funded a moment ago is not refused for the block before.
 */
async function readBeside(context: Judges, at: Case, outstanding: OutstandingOrders): Promise<OutstandingRead> {
  const read = await readOutstanding(context, at, outstanding)
  const isOlder = read.funds.balance < at.funds.balance || read.funds.allowance < at.funds.allowance
  return at.freshness === 'cached' && isOlder
    ? readOutstanding(context, { ...at, freshness: 'latest' }, outstanding)
    : read
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
): Promise<OutstandingRead> {
  const { readTo, uses } = await (orderEvents as OrderEvents).read(freshness)
  if (readTo === null) throw new RfqError('chain_unavailable')
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

/** The first of what is to be read: anyone may make as many takers as they like. */
const mostOf = <Value>(sources: ReadonlyMap<string, Value>): Map<string, Value> =>
  new Map([...sources].slice(0, MAX_LOOKED_AT))

const payerOf = ({ taker, spender }: OutstandingOrder): string => `${taker} ${spender}`

const nameOf = ({ wallet, seriesId }: WalletSeries): string => `${seriesId} ${wallet}`

/** A taker that sells may hand over what it holds, whatever it said; one that buys has said whether it ends what it has written. */
const fillsFromPosition = ({ spender, closes }: OutstandingOrder): boolean => spender === 'settlement' || closes

/**
 * Notes that a wallet could not pay what was quoted from it, where that is the maker's fault. An order of the wallet, under whatever
 * maker, may have been filled since and be over, so that it does not count as owed any more: then it has paid, with the same money. So it
 * may be a stranger that has emptied it, with one fill.
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

/** Whether an order of a wallet was filled in a block that is not final yet, so that no end of it is kept. */
function isFilledLately(maker: Address, events: OrderEventsRead | undefined): boolean {
  const uses = events?.uses.get(maker.toLowerCase()) ?? []
  return uses.some(({ fill, blockNumber }) => fill !== null && blockNumber > (events?.final?.block ?? -1))
}

/** Those of takers that have proved their wallet first, and of either the newest. */
const surestFirst = (a: OutstandingOrder, b: OutstandingOrder): number =>
  Number(b.isProven) - Number(a.isProven) || (b.confirmedAt ?? 0) - (a.confirmedAt ?? 0)

/** Beyond what any taker leaves unfilled on purpose: each of these makes a maker's quotes dearer to judge. */
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
