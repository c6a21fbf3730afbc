import type { Quote } from './quote.ts'

/** A quote with what ranks its maker. */
export type RankedQuote = Quote & {
  /** Confirmations that the maker missed in this request; declined ones count. */
  misses: number
  /** Whether its misses over all requests have put the maker behind the others. */
  isDemoted: boolean
}

/**
 * The one total order of quotes, best first, used for display, `expectedQuoteId` and commits alike: makers that are not
 * demoted, then fewer missed confirmations in this request, then the better price for the taker, then the earlier time of
 * that price, then quoteId.
 */
export function compareQuotes(a: RankedQuote, b: RankedQuote): number {
  if (a.isDemoted !== b.isDemoted) return a.isDemoted ? 1 : -1
  if (a.misses !== b.misses) return a.misses - b.misses
  if (a.price !== b.price) return a.price < b.price === (a.side === 'buy') ? -1 : 1
  if (a.pricedAt !== b.pricedAt) return a.pricedAt - b.pricedAt
  return a.quoteId < b.quoteId ? -1 : a.quoteId > b.quoteId ? 1 : 0
}
