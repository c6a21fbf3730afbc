import {
  type Contracts,
  computeCollateral,
  type OneSidedTrade,
  type PartnerFee,
  type ShownQuote,
  type Usd6,
  usd6,
} from '@rfqctl/client/index'
import { optionOf } from '@rfqctl/protocol/domain/option'
import { partnerShare } from '@rfqctl/protocol/domain/partner-fee'
import { premiumOf, wantedAt } from '@rfqctl/protocol/domain/quote'
import { onSide } from '@rfqctl/protocol/domain/request'
import type { TradeState } from './state.ts'
import type { Race, Stage, TradeRecord } from './trade-record.ts'
import { chainNow, relayNow } from './view-model.ts'

/** A maker's usual time to sign, milliseconds. The relay does not report it, so its countdown is a guess. */
const SIGNING_MS = 10_000

/** Longest time that makers take for a first quote, milliseconds: as on the command line. */
const FIRST_QUOTE_MS = 5_000

/** No maker quoted yet; `slow` once willing makers would have. */
type Quoting = 'no-quotes' | 'no-quotes-slow' | 'racing'
/** A maker is asked to sign; `fallback`: another one did not. */
type Signing = 'signing' | 'fallback'
type Signed = 'committed' | 'paying' | 'pending' | 'filled' | 'simulated'
export type TradePhase = Quoting | Signing | Signed | (typeof ENDINGS)[keyof typeof ENDINGS]

/** The trade on the taker's side; null while a request for both sides has no choice. */
export function tradeOf({ request: { terms }, side }: TradeRecord): OneSidedTrade | null {
  const { trade } = terms
  if (trade.side !== 'both') return trade
  return side === undefined ? null : onSide(terms, side).trade
}

/** The quotes as the taker's side sees them: who sells on a request for both sees the bids. */
export const raceOn = (race: Race, { request: { terms }, side }: TradeRecord): Race =>
  terms.trade.side === 'both' && side === 'sell' ? { ...race, best: race.bestBid, points: race.bids } : race

export type TradeView = ReturnType<typeof tradeView>

export function tradeView(state: TradeState, record: TradeRecord) {
  const { request, stage, question, failure } = record
  const { option } = request.terms
  const trade = tradeOf(record)
  const all = state.races[request.requestId]
  const race = all === undefined ? null : raceOn(all, record)
  const quote = trade === null ? null : quoteOf(stage, race, trade)
  const order = 'commitment' in stage ? (stage.commitment.onchain?.order ?? null) : null
  const amount = order?.optionAmount ?? quote?.fillContracts ?? null
  const price = quote?.price ?? null
  const premium = order?.premiumAmount ?? (amount === null || price === null ? null : premiumOf(amount, price))
  const partnerFee = partnerFeeOf(state, stage)
  return {
    record,
    requestId: request.requestId,
    phase: phaseOf(state, record, race),
    countdown: countdownOf(state, record),
    option: optionOf(option),
    /** Unix seconds. */
    expiry: Math.floor(option.expiryMs / 1_000),
    /** Null while a request for both sides has no choice. */
    side: trade?.side ?? null,
    /** A stranger's text. */
    question,
    /** The quote that a commit goes by, that was shown, or that was taken. */
    quote,
    /** Options, price and premium of that quote or of the signed order; null while there is none. */
    amount,
    price,
    premium,
    /** The partner's share of that premium, and what the taker pays or gets in all; null without a partner. */
    partner:
      partnerFee === null || premium === null || trade === null ? null : partnerSums(partnerFee, { trade, premium }),
    /** The taker must have this: premium and share of a purchase, the collateral of a sale. */
    due: amount === null ? null : dueOf(record, { amount, premium, partnerFee }),
    /** The maker that was asked first and did not sign, if another one did; else null. */
    fellBackFrom: fellBackFrom(stage),
    failure,
    race,
  }
}

export function activeTrade(state: TradeState): TradeView | null {
  const record = state.trades.find(({ request }) => request.requestId === state.activeTradeId)
  return record === undefined ? null : tradeView(state, record)
}

export const tradeList = (state: TradeState): readonly TradeView[] =>
  state.trades.map((record) => tradeView(state, record))

/** Whether a trade can still lead to something: it is open, signed or pending. */
export const isUnderWay = ({ stage }: Pick<TradeRecord, 'stage'>): boolean =>
  stage.kind !== 'filled' && stage.kind !== 'simulated' && stage.kind !== 'ended'

/** A sale of holdings takes no collateral; only the chain knows how much of another sale is from inventory. */
export function dueOf(
  record: TradeRecord,
  { amount, premium, partnerFee }: { amount: Contracts; premium: Usd6 | null; partnerFee: PartnerFee | null },
): Usd6 | null {
  const trade = tradeOf(record)
  if (trade === null) return null
  if (trade.side === 'buy') return premium === null ? null : usd6(premium + partnerShare(premium, partnerFee))
  return trade.reduceOnly === true ? usd6(0n) : computeCollateral(record.request.terms.option, amount)
}

/** That of a fill is kept with it; else that of the relay's operator. */
export function partnerFeeOf(state: Pick<TradeState, 'environment'>, stage: Stage): PartnerFee | null {
  if (stage.kind === 'filling' || stage.kind === 'filled') return stage.partnerFee ?? null
  return stage.kind === 'simulated' ? null : operatorFee(state)
}

/** The share that fills pay the relay's operator from now on; null where no one is paid. */
export const operatorFee = ({ environment }: Pick<TradeState, 'environment'>): PartnerFee | null =>
  environment === null || environment.mode === 'simulated' ? null : environment.partnerFee

export type PartnerSums = ReturnType<typeof partnerSums>

/** A buyer pays the share on top of the premium, a seller out of it. */
export function partnerSums(
  fee: PartnerFee,
  { trade, premium }: { trade: Pick<OneSidedTrade, 'side'>; premium: Usd6 },
) {
  const share = partnerShare(premium, fee)
  return { fee, share, total: usd6(trade.side === 'buy' ? premium + share : premium - share) }
}

function quoteOf(stage: Stage, race: Race | null, trade: OneSidedTrade): ShownQuote | null {
  if ('commitment' in stage) return stage.commitment.quote
  if (stage.kind === 'committing') return stage.shown
  return race === null ? null : quoteToTake(race, trade)
}

/**
 * The quote for a commit without typed limits: the best one, or, if that fills less than half of the request, the best
 * one that fills half, as on the command line. Null while no maker quoted.
 */
export function quoteToTake(
  { best, bestForSize }: Pick<Race, 'best' | 'bestForSize'>,
  trade: OneSidedTrade,
): ShownQuote | null {
  if (best === null || !isSmall(best, trade)) return best
  return bestForSize ?? best
}

export const isSmall = ({ fillContracts, price }: ShownQuote, trade: OneSidedTrade): boolean =>
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
} as const satisfies Record<Extract<Stage, { kind: 'ended' }>['how'], string>

type Countdown = { remainingMs: number; of: 'request' | 'signing' | 'order' }

/** Until the request, a maker's time or the order ends; null if nothing ends. */
function countdownOf(state: TradeState, { request, stage }: TradeRecord): Countdown | null {
  const left = (end: number, now: number) => Math.max(0, end - now)
  if (stage.kind === 'quoting') return { remainingMs: left(request.expiresAt, relayNow(state)), of: 'request' }
  if (stage.kind === 'committing') {
    return { remainingMs: left(stage.askedAt + SIGNING_MS, relayNow(state)), of: 'signing' }
  }
  if (stage.kind !== 'committed' && stage.kind !== 'filling') return null
  const until = stage.commitment.onchain?.order.validUntil
  return until === undefined ? null : { remainingMs: left(until * 1_000, chainNow(state)), of: 'order' }
}
