import { type CommitTerms, committed, isWithin } from './commit.ts'
import { fillContracts, isFirmEnough, type Quote, quoteOn } from './quote.ts'
import { type QuoteRequest, type RequestTerms, walletOf } from './request.ts'

/** The terms of the commit that a request makes by itself; null for one without a standing limit. */
export function standingTermsOf(terms: Pick<RequestTerms, 'wallet' | 'blindWallet' | 'standing'>): CommitTerms | null {
  const { standing } = terms
  const wallet = walletOf(terms)
  if (standing === undefined || wallet === null) return null
  const { limitPrice, minContracts, side } = standing
  return { wallet, limitPrice, minContracts, expectedQuoteId: null, ...(side === undefined ? {} : { side }) }
}

/** Whether a quote is within the standing limit of its request, so that a commit could take it; never without such a limit. */
export function isWithinStanding(
  request: Pick<QuoteRequest, 'wallet' | 'blindWallet' | 'standing' | 'trade' | 'option' | 'firmOnly'>,
  quote: Quote,
): boolean {
  const terms = standingTermsOf(request)
  if (terms === null || quote.maker === terms.wallet || !isFirmEnough(request, quote)) return false
  const { trade } = committed(request, terms)
  const read = quoteOn(quote, trade.side)
  return isWithin(trade.side, { ...read, contracts: fillContracts(trade, read) }, terms)
}
