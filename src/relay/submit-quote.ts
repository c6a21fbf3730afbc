import { RfqError } from '../domain/errors.ts'
import { checkQuote, type Quote, type QuoteSubmission, quoteExpiry } from '../domain/quote.ts'
import type { QuoteRequest } from '../domain/request.ts'
import { assertWallet } from './assert-wallet.ts'
import { type Context, inBackground, record } from './context.ts'
import { findRequest } from './find-request.ts'
import type { LiveRequest } from './ports/book.ts'
import { findShortfall } from './solvency.ts'

type QuoteInput = { makerId: string; requestId: string; submission: QuoteSubmission }

/**
 * Puts a maker's quote into the book in place of its former one; checks in the order of ruling Q4.
 * @see spec "POST /v1/mm/quotes"
 */
export async function submitQuote(context: Context, input: QuoteInput): Promise<Quote> {
  const { makerId, requestId } = input
  assertWallet(context, 'quote.maker', input.submission.maker)
  const live = await findRequest(context, requestId)
  try {
    const freshId = context.ids.uuid()
    const quote = await placeQuote(context, assertQuotable(context, live, makerId), input, freshId)
    // The book keeps a maker's quoteId of a request for ever.
    record(context, requestId, { kind: 'quoted', quote, isRequote: quote.quoteId !== freshId })
    return quote
  } catch (fault) {
    if (fault instanceof RfqError) {
      record(context, requestId, { kind: 'quote_refused', makerId, code: fault.code, detail: fault.message })
    }
    throw fault
  }
}

async function placeQuote(
  context: Context,
  request: QuoteRequest,
  { makerId, requestId, submission }: QuoteInput,
  quoteId: string,
): Promise<Quote> {
  const { book, clock } = context
  const [refusal] = checkQuote(request, submission)
  if (refusal !== undefined) throw new RfqError(refusal)
  const { maker, side, price, size, expiresInMs } = submission
  const shortfall = await findShortfall(context, request, { maker, price, size, makerId }, 'cached')
  if (shortfall !== null) {
    await dropFormerQuote(context, requestId, makerId)
    throw shortfall
  }
  const now = clock.now()
  const expiresAt = quoteExpiry({ now, expiresInMs, requestExpiresAt: request.expiresAt })
  const result = await book.put({ quoteId, requestId, makerId, maker, side, price, size, pricedAt: now, expiresAt })
  if (result.kind === 'absent') throw new RfqError('request_not_found')
  if (result.kind === 'closed') throw new RfqError('request_closed')
  if (result.kind === 'locked') throw new RfqError('quote_locked')
  if (expiresAt < request.expiresAt) expireQuoteAt(context, result.quote)
  return result.quote
}

function assertQuotable({ clock }: Context, { request, status, signing }: LiveRequest, makerId: string): QuoteRequest {
  if (status !== 'open') throw new RfqError('request_closed')
  if (signing?.makerId === makerId) throw new RfqError('quote_locked')
  if (clock.now() >= request.expiresAt) throw new RfqError('request_expired')
  return request
}

/** A maker that cannot pay for its new quote is not trusted with its old one either (ruling Q4). */
async function dropFormerQuote({ book }: Context, requestId: string, makerId: string): Promise<void> {
  const former = (await book.quotesOf(makerId)).find((quote) => quote.requestId === requestId)
  if (former !== undefined) await book.remove(requestId, former.quoteId)
}

function expireQuoteAt(context: Context, { requestId, quoteId, makerId, expiresAt }: Quote): void {
  const expire = async () => {
    if (!(await context.book.expire(requestId, quoteId))) return
    record(context, requestId, { kind: 'quote_expired', makerId, quoteId })
  }
  context.clock.schedule(expiresAt, () => inBackground(context, 'quote_expiry_failed', expire))
}
