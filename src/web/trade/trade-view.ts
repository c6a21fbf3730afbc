import {
  type Contracts,
  computeCollateral,
  type Option,
  type ShownQuote,
  type Side,
  type Trade,
  type Usd6,
  usd6,
} from '@rfqctl/client/index'
import { optionOf } from '@rfqctl/protocol/domain/option'
import { premiumOf, wantedAt } from '@rfqctl/protocol/domain/quote'
import type { TradeState } from './state.ts'
import type { Failure, Race, Stage, TradeRecord } from './trade-record.ts'
import { chainNow, relayNow } from './view-model.ts'

/** How long a relay usually gives a maker to sign, milliseconds; it does not say, so that a countdown of it is a guess. */
const SIGNING_MS = 10_000

/** How long makers that want to quote take for it at most, milliseconds: as on the command line. */
const FIRST_QUOTE_MS = 5_000

/** What a trade is doing, in one word; each is drawn in its own way. */
export type TradePhase =
  /** No maker quoted yet; `slow` once makers that wanted to would have. */
  | 'no-quotes'
  | 'no-quotes-slow'
  | 'racing'
  /** A maker is asked to sign; after another one that did not. */
  | 'signing'
  | 'fallback'
  | 'committed'
  /** The wallet is asked to sign or to send. */
  | 'paying'
  /** A transaction is on its way. */
  | 'pending'
  | 'filled'
  | 'simulated'
  | 'expired'
  | 'cancelled'
  | 'order-expired'
  | 'order-cancelled'
  | 'gone'

/** A trade as it is shown. */
export type TradeView = {
  record: TradeRecord
  requestId: string
  phase: TradePhase
  /** What it waits for ends then: the request, a maker's time, or the order; null where nothing ends. */
  countdown: { remainingMs: number; of: 'request' | 'signing' | 'order' } | null
  option: Option
  /** When the options expire, Unix seconds. */
  expiry: number
  side: Side
  /** A stranger's text. */
  question: string
  /** The quote that it is about: the one that a commit goes by, that was shown, or that was taken. */
  quote: ShownQuote | null
  /** How many options, at what price, for what premium, of that quote or of the signed order; null while there is none. */
  amount: Contracts | null
  price: Usd6 | null
  premium: Usd6 | null
  /** What the taker must have for it, micro-dollars: the premium of a purchase, the collateral of a sale. */
  due: Usd6 | null
  /** Who was asked first and did not sign, where another maker did; else null. */
  fellBackFrom: string | null
  failure: Failure | null
  race: Race | null
}

/** A trade as it is shown. */
export function tradeView(state: TradeState, record: TradeRecord): TradeView {
  const { request, stage, question, failure } = record
  const { option, trade } = request.terms
  const race = state.races[request.requestId] ?? null
  const quote = quoteOf(stage, race, trade)
  const order = 'commitment' in stage ? (stage.commitment.onchain?.order ?? null) : null
  const amount = order?.optionAmount ?? quote?.fillContracts ?? null
  const price = quote?.price ?? null
  const premium = order?.premiumAmount ?? (amount === null || price === null ? null : premiumOf(amount, price))
  return {
    record,
    requestId: request.requestId,
    phase: phaseOf(state, record, race),
    countdown: countdownOf(state, record),
    option: optionOf(option),
    expiry: Math.floor(option.expiryMs / 1_000),
    side: trade.side,
    question,
    quote,
    amount,
    price,
    premium,
    due: amount === null ? null : dueOf(record, { amount, premium }),
    fellBackFrom: fellBackFrom(stage),
    failure,
    race,
  }
}

/** The trade that the page is about; null while a new one is put together. */
export function activeTrade(state: TradeState): TradeView | null {
  const record = state.trades.find(({ request }) => request.requestId === state.activeTradeId)
  return record === undefined ? null : tradeView(state, record)
}

/** All trades, newest first. */
export const tradeList = (state: TradeState): readonly TradeView[] =>
  state.trades.map((record) => tradeView(state, record))

/** Whether a trade can become something yet: it is asked for, signed or on its way. */
export const isUnderWay = ({ stage }: Pick<TradeRecord, 'stage'>): boolean =>
  stage.kind !== 'filled' && stage.kind !== 'simulated' && stage.kind !== 'ended'

/** A sale of what is held takes no collateral; how much of another sale is from inventory, only the chain knows. */
export function dueOf(
  { request }: TradeRecord,
  { amount, premium }: { amount: Contracts; premium: Usd6 | null },
): Usd6 | null {
  const { trade, option } = request.terms
  if (trade.side === 'buy') return premium
  return trade.reduceOnly === true ? usd6(0n) : computeCollateral(option, amount)
}

function quoteOf(stage: Stage, race: Race | null, trade: Trade): ShownQuote | null {
  if ('commitment' in stage) return stage.commitment.quote
  if (stage.kind === 'committing') return stage.shown
  return race === null ? null : quoteToTake(race, trade)
}

/**
 * The quote that a commit without limits of its own goes by: the best one, or, where that fills less than half of what is asked, the best
 * one that fills half, as on the command line. Null while no maker quoted.
 */
export function quoteToTake(
  { best, bestForSize }: Pick<Race, 'best' | 'bestForSize'>,
  trade: Trade,
): ShownQuote | null {
  if (best === null || !isSmall(best, trade)) return best
  return bestForSize ?? best
}

/** Whether a quote fills less than half of what is asked at its price. */
export const isSmall = ({ fillContracts, price }: ShownQuote, trade: Trade): boolean =>
  fillContracts * 2n < wantedAt(trade, price)

function fellBackFrom(stage: Stage): string | null {
  if (stage.kind === 'committing') return stage.askedMakerId === stage.shown.makerId ? null : stage.shown.makerId
  return 'fellBackFrom' in stage ? stage.fellBackFrom : null
}

function phaseOf(state: TradeState, { stage, openedAt }: TradeRecord, race: Race | null): TradePhase {
  switch (stage.kind) {
    case 'quoting':
      if (race !== null && race.best !== null) return 'racing'
      return relayNow(state) - openedAt >= FIRST_QUOTE_MS ? 'no-quotes-slow' : 'no-quotes'
    case 'committing':
      return fellBackFrom(stage) === null ? 'signing' : 'fallback'
    case 'filling':
      return stage.step === 'sent' ? 'pending' : 'paying'
    case 'ended':
      return ENDINGS[stage.how]
    default:
      return stage.kind
  }
}

const ENDINGS = {
  expired: 'expired',
  cancelled: 'cancelled',
  order_expired: 'order-expired',
  order_cancelled: 'order-cancelled',
  gone: 'gone',
} as const satisfies Record<Extract<Stage, { kind: 'ended' }>['how'], TradePhase>

function countdownOf(state: TradeState, { request, stage }: TradeRecord): TradeView['countdown'] {
  const left = (end: number, now: number) => Math.max(0, end - now)
  if (stage.kind === 'quoting') return { remainingMs: left(request.expiresAt, relayNow(state)), of: 'request' }
  if (stage.kind === 'committing') {
    return { remainingMs: left(stage.askedAt + SIGNING_MS, relayNow(state)), of: 'signing' }
  }
  if (stage.kind !== 'committed' && stage.kind !== 'filling') return null
  const until = stage.commitment.onchain?.order.validUntil
  return until === undefined ? null : { remainingMs: left(until * 1_000, chainNow(state)), of: 'order' }
}
