import { compareQuotes, type RankedQuote } from './best-quote.ts'
import { usd6ToNumber } from './decimal.ts'
import { type ErrorCode, RfqError } from './errors.ts'
import { isPackage } from './option.ts'
import { fillContracts, isFirmEnough, quoteOn } from './quote.ts'
import {
  type OneSided,
  type OneSidedTrade,
  onSide,
  type QuoteRequest,
  type RequestedOption,
  type Side,
} from './request.ts'
import { type Address, type Contracts, ONE_USD, type Usd6 } from './units.ts'

/** Protections that a taker insists on; null turns one off (decision C1). */
export type Protections = {
  /** The worst price per option, micro-dollars: the most on a buy, the least on a sell. */
  limitPrice: Usd6 | null
  /** The fewest options. */
  minContracts: Contracts | null
  /** The quote that must still be the best one. */
  expectedQuoteId: string | null
  /** Whether only a firm quote is taken; absent: no. */
  firmOnly?: boolean
}

/** Terms that a taker commits to. */
export type CommitTerms = {
  wallet: Address
  /** The taker's side, where the request asks for both; else absent, or the side of the request. */
  side?: Side
} & Protections

/** The trade that a commit gives its taker. */
export type CommittedTrade = { quoteId: string; price: Usd6; contracts: Contracts; isFirm?: true }

/**
 * The next maker to ask, or the reason that there is none. `isHurried`: it is not proven, and a proven one waits behind it, so
 * that it gets less time to sign.
 */
export type NextCandidate =
  | { kind: 'ask'; quote: RankedQuote; isHurried: boolean }
  | { kind: 'none'; reason: Extract<ErrorCode, 'no_valid_quotes' | 'no_acceptable_quote' | 'quote_changed'> }

/**
 * Outcomes of makers whose quotes a commit considered, as far as their taker may know: `missed` did not sign in time,
 * `unreachable` had no socket to be asked on, `insolvent` cannot pay, `withdrawn` is held back and its quote is gone, `too_large`
 * is more than the series can hold, `unproven` is not asked for a taker that has not proved its wallet.
 */
export const CANDIDATE_OUTCOMES = [
  'missed',
  'declined',
  'unreachable',
  'insolvent',
  'withdrawn',
  'too_large',
  'unproven',
] as const

/** Outcome of one of these makers. */
export type CandidateOutcome = (typeof CANDIDATE_OUTCOMES)[number]

/** A maker whose quote a commit considered and did not take. */
export type Candidate = { makerId: string; quoteId: string; outcome: CandidateOutcome }

/** Most candidates that a refusal names, the first considered ones. */
export const MAX_CANDIDATES_NAMED = 20

/** The terms of a commit as one text: equal texts join the same commit, others are refused (decision C3). */
export const commitKey = ({ wallet, side, limitPrice, minContracts, expectedQuoteId, firmOnly }: CommitTerms): string =>
  [
    wallet,
    limitPrice,
    minContracts,
    expectedQuoteId,
    ...(firmOnly === true ? ['firm'] : []),
    ...(side === undefined ? [] : [side]),
  ].join('|')

/**
 * The request that a commit is of: on the side that it names, or on the one that the request has.
 * @throws {RfqError} `invalid_request` where the request asks for both sides and the commit names none; `side_mismatch` where it
 * names the side that the request does not have.
 */
export function committed<Request extends Pick<QuoteRequest, 'trade' | 'option'>>(
  request: Request,
  { side }: Pick<CommitTerms, 'side'>,
): OneSided<Request> {
  const asked = request.trade.side
  if (asked !== 'both') return onSide(request, side ?? asked)
  if (side !== undefined) return onSide(request, side)
  throw new RfqError('invalid_request', { detail: 'side must be buy or sell: the request asks for both sides' })
}

/** The quotes of a book as a commit on one side ranks them, best first. */
export function rankedOn<Ranked extends RankedQuote>(ranked: readonly Ranked[], side: Side): readonly Ranked[] {
  const read = ranked.map((quote) => quoteOn(quote, side))
  return read.every((quote, i) => quote === ranked[i]) ? ranked : read.sort(compareQuotes)
}

/**
 * The next candidate of a commit: the best live quote whose maker was not considered in this commit, which is not the taker's own
 * and keeps within the protections (decisions C1, C4, Q6). `ranked` is the book, best first; `expectedQuoteId` is judged against
 * the best before anyone was considered. `proven` are makers with a confirmation on record. While one of them waits that is not
 * demoted, `hurriedLeft` makers before it are still asked; then it is asked, and the remaining ones once it has missed. A firm
 * quote needs no answer, and waits for no one. With `firmOnly`, in the request or the commit, only firm quotes are candidates.
 */
export function nextCandidate(input: {
  request: OneSided<Pick<QuoteRequest, 'trade' | 'firmOnly'>>
  ranked: readonly RankedQuote[]
  terms: CommitTerms
  considered: ReadonlySet<string>
  proven: ReadonlySet<string>
  hurriedLeft: number
  now: number
}): NextCandidate {
  const { request, ranked, terms, considered, proven, hurriedLeft, now } = input
  const valid = ranked.filter(
    (quote) => quote.expiresAt > now && quote.maker !== terms.wallet && isFirmEnough(request, quote),
  )
  if (valid.length === 0) return { kind: 'none', reason: 'no_valid_quotes' }
  const live = valid.filter((quote) => isFirmEnough(terms, quote))
  if (terms.expectedQuoteId !== null && considered.size === 0 && live[0]?.quoteId !== terms.expectedQuoteId) {
    return { kind: 'none', reason: 'quote_changed' }
  }
  const isCandidate = (quote: RankedQuote) =>
    !considered.has(quote.makerId) && isWithin(request.trade.side, tradeOf(request, quote), terms)
  const best = live.find(isCandidate)
  if (best === undefined) return { kind: 'none', reason: 'no_acceptable_quote' }
  const reliable = live.find((quote) => !quote.isDemoted && proven.has(quote.makerId) && isCandidate(quote))
  if (best.isFirm === true || reliable === undefined || reliable === best)
    return { kind: 'ask', quote: best, isHurried: false }
  return hurriedLeft > 0
    ? { kind: 'ask', quote: best, isHurried: true }
    : { kind: 'ask', quote: reliable, isHurried: false }
}

/** Refuses a limit that no option can cost: one above a dollar is a price in cents, unless it is that of a package. */
export function assertLimit(option: RequestedOption, { limitPrice }: Pick<Protections, 'limitPrice'>): void {
  if (isPackage(option) || limitPrice === null || limitPrice <= ONE_USD) return
  const detail = `limitPrice must be a number of dollars 0..1, got ${usd6ToNumber(limitPrice)}`
  throw new RfqError('invalid_request', { detail })
}

/** Whether a trade keeps within the protections of a commit; `side` is the taker's. */
export function isWithin(side: Side, trade: CommittedTrade, terms: Protections): boolean {
  const { quoteId, price, contracts } = trade
  const { limitPrice, minContracts, expectedQuoteId } = terms
  if (!isFirmEnough(terms, trade)) return false
  if (expectedQuoteId !== null && quoteId !== expectedQuoteId) return false
  if (limitPrice !== null && isWorse(side, price, limitPrice)) return false
  return minContracts === null || contracts >= minContracts
}

const tradeOf = ({ trade }: { trade: OneSidedTrade }, quote: RankedQuote): CommittedTrade => ({
  ...quote,
  contracts: fillContracts(trade, quote),
})

const isWorse = (side: Side, price: Usd6, limit: Usd6): boolean => (side === 'buy' ? price > limit : price < limit)
