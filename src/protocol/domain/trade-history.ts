import { maxPayoff, type Option } from './option.ts'
import type { SeriesId } from './series.ts'
import { type Contracts, contracts, type Hex, type Usd6, usd6 } from './units.ts'

/**
 * Kind of event in a wallet's history: `bought` and `wrote` in a fill, `sold` from what it held; `closed`, held against written
 * options; `payout` and `collateral`, the claims of holder and writer; `received` from and `sent` to another wallet.
 */
export type TradeEventKind = 'bought' | 'sold' | 'wrote' | 'closed' | 'payout' | 'collateral' | 'received' | 'sent'

/** Event that changed a wallet's options of a series. Amounts of money are micro-dollars, 0 where there are none. */
export type TradeEvent = {
  kind: TradeEventKind
  seriesId: SeriesId
  transactionHash: Hex
  /** Block of the transaction. */
  blockNumber: bigint
  /** Unix seconds, by the block. */
  time: number
  /** Options that it was about. */
  amount: Contracts
  /** Options held that it added, negative: took. */
  long: bigint
  /** Options written that it added, negative: took. */
  short: bigint
  /** Premium of the order, or the share of these options in it. */
  premium: Usd6
  /** Fees to relayer and partner, in `paid` of a buyer and off `received` of a seller; negative: the wallet was the partner. */
  fee: Usd6
  /** Money that the wallet paid, collateral included. */
  paid: Usd6
  /** Money that came back, also where the wallet had it sent to another account. */
  received: Usd6
}

/**
 * State of a trade. `open`: before expiry; `expired`: without a final price; `claimable`: money can be claimed; `worthless`: nothing is
 * left to claim; `claimed`, `closed`, `transferred`: ended by a claim, by a sale or a close, or by a transfer.
 */
export type TradeState = 'open' | 'expired' | 'claimable' | 'worthless' | 'claimed' | 'closed' | 'transferred'

/**
 * A wallet's trade in a series, from its first option to its last. Money is in micro-dollars. What options cost is their average cost:
 * premium and fees of those held, collateral less net premium of those written.
 */
export type TradeRecord = {
  seriesId: SeriesId
  /** The trade began with options held, or with options written. */
  side: 'long' | 'short'
  state: TradeState
  /** Options held, or written by a short, all together. */
  amount: Contracts
  /** Options that are left, held and written. */
  long: Contracts
  short: Contracts
  /** Premiums of its orders, without fees. */
  premiumPaid: Usd6
  premiumReceived: Usd6
  /** Fees to relayers and partners. */
  fees: Usd6
  /** All that the wallet paid, fees and collateral included. */
  paid: Usd6
  /** All that came back: premiums less fees, payouts, collateral. */
  received: Usd6
  /** Part of it that was claimed after settlement. */
  paidOut: Usd6
  /** Realised profit, negative for a loss; null where earlier events are not known. */
  profit: Usd6 | null
  /** Cost of the options that are left, 0 once they are worthless; null where earlier events are not known. */
  cost: Usd6 | null
  /** Amount that can be claimed now. */
  claimable: Usd6
  /** Options came from or went to another wallet, and count as free: money between the two is not known. */
  hasTransfers: boolean
  /** Unix seconds of its first event. */
  openedAt: number
  /** Unix seconds of its last event; null while options are left. */
  closedAt: number | null
  /** Oldest first. */
  events: readonly TradeEvent[]
}

/** A series, as far as its trades depend on it. */
export type TradedSeries = {
  option: Option
  /** Unix seconds. */
  expiry: number
  /** Micro-dollars of one option; null until its price is final. */
  payoff: Usd6 | null
}

/** Options of one side, and what they cost together. */
type Pool = { count: bigint; cost: bigint }

type Running = { seriesId: SeriesId; before: Held; isPartial: boolean; long: Pool; short: Pool; profit: bigint } & {
  events: [TradeEvent, ...TradeEvent[]]
}

type Held = { long: bigint; short: bigint }

const NONE: Held = { long: 0n, short: 0n }

/**
 * Trades of a wallet, the one with the newest event first. Realised profits less the costs of what is left are exactly what the wallet
 * received less what it paid. `events` come oldest first; `before` has the positions from before the first of them, none where absent;
 * `series` has all of theirs; `now` is the chain's time, Unix seconds.
 */
export function tradesOf(input: {
  events: Iterable<TradeEvent>
  before: ReadonlyMap<SeriesId, Held>
  series: ReadonlyMap<SeriesId, TradedSeries>
  now: number
}): TradeRecord[] {
  const { events, before, series, now } = input
  const running = new Map<SeriesId, Running>()
  const ended: Running[] = []
  const earlier = new Map(before)
  for (const event of events) {
    const { seriesId } = event
    let trade = running.get(seriesId)
    if (trade === undefined) {
      trade = begin(event, earlier.get(seriesId) ?? NONE)
      running.set(seriesId, trade)
      earlier.delete(seriesId)
    } else trade.events.push(event)
    apply(trade, event)
    if (!hasEnded(trade)) continue
    running.delete(seriesId)
    ended.push(trade)
  }
  // A fill may end one trade and begin the next, which is the newer one.
  return [...ended, ...running.values()]
    .toReversed()
    .map((trade) => recordOf(trade, series.get(trade.seriesId) as TradedSeries, now))
    .toSorted((a, b) => Number(lastOf(b.events).blockNumber - lastOf(a.events).blockNumber))
}

/** Realised profit as it is shown; null where nothing is realised yet, or where it is not known. */
export const realisedProfit = ({ profit, closedAt }: Pick<TradeRecord, 'profit' | 'closedAt'>): Usd6 | null =>
  profit === 0n && closedAt === null ? null : profit

/** Sum of the realised profits that are known. */
export const totalProfit = (trades: readonly Pick<TradeRecord, 'profit'>[]): Usd6 =>
  usd6(trades.reduce((sum, { profit }) => sum + (profit ?? 0n), 0n))

const begin = (event: TradeEvent, before: Held): Running => ({
  seriesId: event.seriesId,
  before,
  isPartial: before.long !== 0n || before.short !== 0n,
  long: { count: before.long, cost: 0n },
  short: { count: before.short, cost: 0n },
  profit: 0n,
  events: [event],
})

/** Options that come bring their cost; those that leave take their average cost along, and the rest is profit. */
function apply(trade: Running, { long, short, paid, received }: TradeEvent): void {
  if (long > 0n || short > 0n) {
    const pool = long > 0n ? trade.long : trade.short
    pool.count += long > 0n ? long : short
    pool.cost += paid - received
  } else trade.profit += received - paid - takeFrom(trade.long, -long) - takeFrom(trade.short, -short)
}

/** The cost of options that leave, rounded down: the last one takes what is left. */
function takeFrom(pool: Pool, count: bigint): bigint {
  if (count === 0n) return 0n
  const cost = pool.count === 0n ? 0n : (pool.cost * count) / pool.count
  pool.count -= count
  pool.cost -= cost
  return cost
}

function recordOf(trade: Running, series: TradedSeries, now: number): TradeRecord {
  const { seriesId, before, isPartial, long, short, events } = trade
  const first = events[0]
  const sum = (amountOf: (event: TradeEvent) => bigint) =>
    usd6(events.reduce((total, event) => total + amountOf(event), 0n))
  const isShort = before.long === 0n && (before.short !== 0n || first.short > 0n)
  const gained = ({ long, short }: TradeEvent) => (isShort ? short : long)
  const claimable = claimableOf(trade, series)
  const state = stateOf(trade, { series, claimable, now })
  const lost = state === 'worthless' ? long.cost + short.cost : 0n
  return {
    seriesId,
    side: isShort ? 'short' : 'long',
    state,
    amount: contracts(
      (isShort ? before.short : before.long) + sum((event) => (gained(event) > 0n ? gained(event) : 0n)),
    ),
    long: contracts(long.count),
    short: contracts(short.count),
    premiumPaid: sum(({ kind, premium }) => (kind === 'bought' ? premium : 0n)),
    premiumReceived: sum(({ kind, premium }) => (kind === 'bought' ? 0n : premium)),
    fees: sum(({ fee }) => fee),
    paid: sum(({ paid }) => paid),
    received: sum(({ received }) => received),
    paidOut: sum((event) => (isClaim(event) ? event.received : 0n)),
    profit: isPartial ? null : usd6(trade.profit - lost),
    cost: isPartial ? null : usd6(long.cost + short.cost - lost),
    claimable,
    hasTransfers: events.some(({ kind }) => kind === 'received' || kind === 'sent'),
    openedAt: first.time,
    closedAt: hasEnded(trade) ? lastOf(events).time : null,
    events,
  }
}

const hasEnded = ({ long, short }: Running): boolean => long.count === 0n && short.count === 0n

const isClaim = ({ kind }: TradeEvent): boolean => kind === 'payout' || kind === 'collateral'

const lastOf = (events: readonly TradeEvent[]): TradeEvent => events.at(-1) as TradeEvent

/** Holders get the payoff, and writers the rest of their collateral. */
const claimableOf = ({ long, short }: Running, { option, payoff }: TradedSeries): Usd6 =>
  usd6(payoff === null ? 0n : long.count * payoff + short.count * (maxPayoff(option) - payoff))

function stateOf(
  trade: Running,
  { series, claimable, now }: { series: TradedSeries; claimable: Usd6; now: number },
): TradeState {
  if (!hasEnded(trade)) {
    if (series.payoff === null) return series.expiry <= now ? 'expired' : 'open'
    return claimable > 0n ? 'claimable' : 'worthless'
  }
  const last = lastOf(trade.events)
  if (last.kind === 'sent') return 'transferred'
  if (!isClaim(last)) return 'closed'
  return trade.events.some((event) => isClaim(event) && event.received > 0n) ? 'claimed' : 'worthless'
}
