import type { Quote } from './quote.ts'

/** A quote with its maker's misses in this request: declined confirmations are missed ones (ruling Q6). */
export type RankedQuote = Quote & { misses: number }

/**
 * The one total order of quotes, best first, used for display, `expectedQuoteId` and the ladder alike: fewer missed
 * confirmations, then the better price for the taker, then the earlier time of that price, then quoteId (ruling Q6).
 */
export function compareQuotes(a: RankedQuote, b: RankedQuote): number {
  if (a.misses !== b.misses) return a.misses - b.misses
  if (a.price !== b.price) return a.price < b.price === (a.side === 'buy') ? -1 : 1
  if (a.pricedAt !== b.pricedAt) return a.pricedAt - b.pricedAt
  return a.quoteId < b.quoteId ? -1 : a.quoteId > b.quoteId ? 1 : 0
}
