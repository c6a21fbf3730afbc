import { RfqError } from '@rfqctl/protocol/domain/errors'
import { firmValidUntil, type Order, orderDigest } from '@rfqctl/protocol/domain/order'
import { type FirmTerms, type Quote, type QuoteSubmission, quoteExpiry } from '@rfqctl/protocol/domain/quote'
import { type QuoteRequest, seriesTermsOf } from '@rfqctl/protocol/domain/request'
import type { Address, Hex } from '@rfqctl/protocol/domain/units'
import { type Context, record } from './context.ts'
import { withOrder } from './create-acceptance.ts'
import type { OrderSignature } from './ports/book.ts'
import { type MaybePromise, thenMaybe } from './ports/maybe-promise.ts'
import { counts, orderClaim } from './signature-checks.ts'
import { tradingEnd } from './tradable.ts'

type FirmSignatures = {
  makerId: string
  quoteId: string
  signature: string
  /** The one of the order at the bid, where the quote is on both sides. */
  otherSignature?: string
}

/**
 * A later quote on the same request has the same nonce. Null if the maker has asked for another wallet's order there: a
 * nonce is kept per wallet, and strangers name wallets (decision F1).
 */
export async function allotFirmTerms(
  { book, store, chain, clock, settings }: Pick<Context, 'book' | 'store' | 'chain' | 'clock' | 'settings'>,
  request: QuoteRequest,
  makerId: string,
  { maker, expiresInMs }: QuoteSubmission,
): Promise<FirmTerms | null> {
  if (!(await book.claimWallet(request.requestId, makerId, maker))) return null
  const [nonce, chainTime] = await Promise.all([store.allotNonce(request.requestId, maker, true), chain.time('cached')])
  const now = clock.now()
  const validUntil = firmValidUntil({
    chainTime,
    lifeMs: quoteExpiry({ now, expiresInMs, requestExpiresAt: request.expiresAt }) - now,
    slackMs: settings.makerConfirmationMs,
    validityMs: settings.orderValidityMs,
    tradingEndsAt: tradingEnd({ chain }, seriesTermsOf(request).expiry),
  })
  return { nonce, validUntil }
}

/**
 * A signature is a right to trade: only the commit that takes the quote returns it (decision F3). A quote on both sides has an
 * order on each, of one nonce, and needs the signatures of both, so that it is firm whichever side its taker names.
 */
export async function makeQuoteFirm(
  context: Context,
  { makerId, quoteId, signature, otherSignature }: FirmSignatures,
): Promise<void> {
  const { book, clock, checks } = context
  const quote = await book.findQuote({ makerId, quoteId })
  if (quote === null || clock.now() >= quote.expiresAt) throw new RfqError('quote_not_found')
  const { requestId, firmTerms } = quote
  const request = (await book.find(requestId))?.request ?? null
  if (firmTerms === undefined || request === null || request.wallet === null) {
    throw new RfqError('quote_not_found', {
      detail: `The quote ${quoteId} has no order to sign: it did not ask for one.`,
    })
  }
  const { order, otherOrder, domain } = withOrder(context, request, { ...quote, firmTerms }, request.wallet)
  if (otherOrder !== undefined && otherSignature === undefined) throw new RfqError('invalid_request', BOTH_SIGNATURES)
  const check = async (ofOrder: Order, text: string): Promise<OrderSignature> => {
    const claim = orderClaim(context, { order: ofOrder, digest: orderDigest(ofOrder, domain), text })
    const counted = await checks.find(claim, makerId)
    if (counted instanceof RfqError) throw counted
    return counted
  }
  const counted = await check(order, signature)
  const other = otherOrder && otherSignature ? await check(otherOrder, otherSignature) : undefined
  const result = await book.makeFirm(quote, counted, other)
  if (result === 'locked') throw new RfqError('quote_locked')
  if (result === 'absent') {
    throw new RfqError('quote_not_found', { detail: `The quote ${quoteId} is another one by now.` })
  }
  record(context, requestId, { kind: 'quote_sealed', makerId, quoteId })
  if (request.standing !== undefined) context.standingCommits.note(request, { ...quote, isFirm: true })
}

const BOTH_SIGNATURES = {
  detail: 'bidSignature must be the signature of bidOrder: the quote is on both sides',
}

/**
 * The signature of a firm quote that the chain counts now. An authorised key may be revoked since it was counted, and a
 * wallet may change owners. Null if the chain counts none, and for a signature of the maker's own key, which counts for
 * good.
 */
export const readCounted = (
  { book, chain }: Pick<Context, 'book' | 'chain'>,
  request: QuoteRequest,
  quote: Quote,
  taker: Address,
): MaybePromise<Hex | null> =>
  thenMaybe(book.firmSignature(quote), (signed) => {
    const { firmTerms } = quote
    if (signed === null || signed.shownBy === 'key' || firmTerms === undefined) return null
    const { order } = withOrder({ chain }, request, { ...quote, firmTerms }, taker)
    const { signature } = signed
    return thenMaybe(chain.signedUntil(order, signature), (until) => (counts(order, until) ? signature : null))
  })
