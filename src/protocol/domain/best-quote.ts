import { type Quote, quoteOn } from './quote.ts'
import type { Address, Usd6 } from './units.ts'

/** A quote with the facts that rank its maker. */
export type RankedQuote = Quote & {
  /** Confirmations that the maker missed in this request; declined ones count. */
  misses: number
  /** Whether its misses over all requests have put the maker behind the others. */
  isDemoted: boolean
}

/** The part of a quote by which it ranks. */
export type Rank = Pick<RankedQuote, 'quoteId' | 'side' | 'price' | 'pricedAt' | 'misses' | 'isDemoted'> & {
  isFirm?: boolean
}

/**
 * The one total order of quotes, best first, used for display, `expectedQuoteId` and commits alike: makers that are not
 * demoted, then fewer missed confirmations in this request, then the better price for the taker, then firm quotes, then the earlier
 * time of that price, then quoteId.
 */
export function compareQuotes(a: Rank, b: Rank): number {
  if (a.isDemoted !== b.isDemoted) return a.isDemoted ? 1 : -1
  if (a.misses !== b.misses) return a.misses - b.misses
  if (a.price !== b.price) return a.price < b.price === (a.side === 'buy') ? -1 : 1
  if ((a.isFirm === true) !== (b.isFirm === true)) return a.isFirm === true ? -1 : 1
  if (a.pricedAt !== b.pricedAt) return a.pricedAt - b.pricedAt
  return a.quoteId < b.quoteId ? -1 : a.quoteId > b.quoteId ? 1 : 0
}

/** Feedback to makers whose quotes lost to another one: nothing, their rank, or the winning price as well. */
export const FEEDBACK_LEVELS = ['off', 'rank', 'price'] as const

/** Level of feedback to makers whose quotes did not win. */
export type FeedbackLevel = (typeof FEEDBACK_LEVELS)[number]

/** Reason that a quote did not win. */
export type RejectReason = 'another_quote_won' | 'request_expired' | 'request_cancelled'

/** Rank of a quote that lost, when the request closed, if the relay shares it. */
export type LossFeedback = {
  /** Among the quotes that could be taken, from 1 for the best. */
  rank: number
  /** These quotes, the winner included. */
  quoteCount: number
  /** Null where the operator shows ranks only. */
  winningPrice: Usd6 | null
}

/**
 * Feedback by quoteId when the request closes, for the winner and for each of `ranked` that lasts and that `taker` could take.
 * The winner keeps its rank although it may have lapsed since it was held.
 */
export function lossFeedback(
  ranked: readonly RankedQuote[],
  { winner, taker, now, level }: { winner: Quote; taker: Address; now: number; level: 'rank' | 'price' },
): ReadonlyMap<string, LossFeedback> {
  const live = ranked.filter(({ quoteId, maker, expiresAt }) => {
    return quoteId !== winner.quoteId && maker !== taker && expiresAt > now
  })
  const held = ranked.find(({ quoteId }) => quoteId === winner.quoteId) ?? { ...winner, misses: 0, isDemoted: false }
  const standing = [...live, held].map((quote) => quoteOn(quote, winner.side)).sort(compareQuotes)
  const winningPrice = level === 'price' ? winner.price : null
  return new Map(
    standing.map(({ quoteId }, place) => [quoteId, { rank: place + 1, quoteCount: standing.length, winningPrice }]),
  )
}
