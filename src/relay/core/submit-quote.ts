import { isHeardBy } from '@rfqctl/protocol/domain/audience'
import { type ErrorCode, RfqError } from '@rfqctl/protocol/domain/errors'
import {
  checkQuote,
  type FirmTerms,
  type Quote,
  type QuoteSubmission,
  quoteExpiry,
  quoteOn,
} from '@rfqctl/protocol/domain/quote'
import { otherSide, type QuoteRequest, type Side } from '@rfqctl/protocol/domain/request'
import { type Context, record } from './context.ts'
import { type FirmQuote, withOrder } from './create-acceptance.ts'
import { findRequest } from './find-request.ts'
import { allotFirmTerms } from './firm-quote.ts'
import { overloaded } from './headroom.ts'
import { goneRefusal } from './maker-protections.ts'
import type { LiveRequest } from './ports/book.ts'
import { catchMaybe, type MaybePromise, thenMaybe } from './ports/maybe-promise.ts'
import { inTrace } from './ports/tracer.ts'
import { judgeQuote } from './solvency.ts'
import { assertWallet } from './tradable.ts'

type QuoteInput = { makerId: string; requestId: string; submission: QuoteSubmission }

/** Codes that a second check cannot fix. */
const OUTAGES: readonly ErrorCode[] = ['store_unavailable', 'chain_unavailable']

/** Replaces the maker's former quote; checks in the order of decision Q4. */
export function submitQuote(context: Context, input: QuoteInput): MaybePromise<Quote | FirmQuote> {
  assertWallet(context, 'quote.maker', input.submission.maker)
  const known = context.book.known(input.requestId)
  if (known === null || context.clock.now() >= known.expiresAt) return placeFound(context, input)
  assertHeard(known, input)
  // One round trip to the book: two were a sixth of a quote's cost for a node on Redis (benchmark P10).
  return catchMaybe(
    () => placeQuote(context, known, input),
    (fault) => {
      if (fault instanceof RfqError && !OUTAGES.includes(fault.code)) return placeFound(context, input)
      throw recorded(context, input, fault)
    },
  )
}

/**
 * Asks the book and the store first: a request that is gone or held is refused before a wrong quote, and a request that
 * the book has lost is opened again.
 */
async function placeFound(context: Context, input: QuoteInput): Promise<Quote | FirmQuote> {
  const live = await findRequest(context, input.requestId)
  assertHeard(live.request, input)
  try {
    return await placeQuote(context, assertQuotable(context, live, input.makerId), input)
  } catch (fault) {
    throw recorded(context, input, fault)
  }
}

/** For a maker that a request is not for there is none, and its log has nothing of it. */
function assertHeard({ audience }: QuoteRequest, { makerId }: QuoteInput): void {
  if (!isHeardBy(audience, makerId)) throw new RfqError('request_not_found')
}

function recorded(context: Pick<Context, 'audit' | 'clock'>, { makerId, requestId }: QuoteInput, fault: unknown) {
  if (fault instanceof RfqError) {
    record(context, requestId, { kind: 'quote_refused', makerId, code: fault.code, detail: fault.message })
  }
  return fault
}

function placeQuote(context: Context, request: QuoteRequest, input: QuoteInput): MaybePromise<Quote | FirmQuote> {
  const { traceparent, requestId } = request
  if (traceparent === undefined) return checkAndPut(context, request, input)
  return inTrace(context, 'quote', { traceparent, facts: { requestId, makerId: input.makerId } }, async ({ note }) => {
    const quote = await checkAndPut(context, request, input)
    note({ quoteId: quote.quoteId })
    return quote
  })
}

function checkAndPut(context: Context, request: QuoteRequest, input: QuoteInput): MaybePromise<Quote | FirmQuote> {
  const { submission } = input
  const [refusal] = checkQuote(request, submission)
  if (refusal !== undefined) throw new RfqError(refusal)
  const held = heldBack(context, input, request)
  if (held !== null) throw held
  return thenMaybe(shortfallOf(context, request, input), (shortfall) =>
    shortfall === null ? putAsAsked(context, request, input) : refuseInsolvent(context, input, shortfall),
  )
}

/** On both sides each is judged, and alone: a taker can take but one. */
function shortfallOf(
  context: Context,
  request: QuoteRequest,
  { makerId, submission }: QuoteInput,
): MaybePromise<RfqError | null> {
  const judgeOn = (side: Side) => {
    const { maker, price, size } = quoteOn(submission, side)
    return judgeQuote(context, request, { maker, side, price, size, makerId }, { freshness: 'cached', taker: null })
  }
  const { side, otherPrice } = submission
  return thenMaybe(judgeOn(side), ({ shortfall }) =>
    shortfall !== null || otherPrice === undefined
      ? shortfall
      : thenMaybe(judgeOn(otherSide(side)), (other) => other.shortfall),
  )
}

/** Returns the order only if the maker asks for it and the request names the one wallet that it is for. */
function putAsAsked(context: Context, request: QuoteRequest, input: QuoteInput): MaybePromise<Quote | FirmQuote> {
  const { makerId, submission } = input
  const { wallet } = request
  if (submission.firm !== true || wallet === null) return putQuote(context, request, input)
  return allotFirmTerms(context, request, makerId, submission).then(async (firmTerms) => {
    if (firmTerms === null) return putQuote(context, request, input)
    return withOrder(context, request, { ...(await putQuote(context, request, input, firmTerms)), firmTerms }, wallet)
  })
}

function putQuote(
  context: Context,
  request: QuoteRequest,
  input: QuoteInput,
  firmTerms?: FirmTerms,
): MaybePromise<Quote> {
  const { makerId, submission } = input
  const { book, clock, ids, audit, expiries, blocks, protections, standingCommits } = context
  const { requestId } = request
  const { maker, side, price, otherPrice, size, expiresInMs } = submission
  // An operator's block, a trip or a suspension may have come while the funds were read.
  if (blocks.has(makerId)) throw new RfqError('maker_blocked')
  const held = heldBack(context, input, request)
  if (held !== null) throw held
  const now = clock.now()
  const expiresAt = quoteExpiry({ now, expiresInMs, requestExpiresAt: request.expiresAt })
  const quoteId = ids.uuid()
  const both = otherPrice === undefined ? {} : { otherPrice }
  const quote = { quoteId, requestId, makerId, maker, side, price, ...both, size, pricedAt: now, expiresAt }
  const result = book.put(
    firmTerms === undefined ? quote : { ...quote, firmTerms },
    protections.disconnectRule(makerId),
  )
  return thenMaybe(result, (put) => {
    if (put.kind === 'absent') throw new RfqError('request_not_found')
    if (put.kind === 'closed') throw new RfqError('request_closed')
    if (put.kind === 'locked') throw new RfqError('quote_locked')
    if (put.kind === 'gone') throw goneRefusal()
    if (put.kind === 'full') throw overloaded('The relay keeps as many quotes as it can, and none here that is worse.')
    if (put.dropped !== undefined) {
      const { requestId: from, ...dropped } = put.dropped
      record(context, from, { kind: 'quote_dropped', ...dropped })
    }
    expiries(put.quote, request.expiresAt)
    // The book keeps one quoteId per maker and request forever.
    const isRequote = put.quote.quoteId !== quoteId
    audit.record({ at: clock.now(), requestId, kind: 'quoted', quote: put.quote, isRequote })
    // A maker that has got its order signs it in a moment; to ask for the same order meanwhile would refuse that signature.
    if (request.standing !== undefined && firmTerms === undefined) standingCommits.note(request, put.quote)
    return put.quote
  })
}

const heldBack = (
  { records, protections }: Pick<Context, 'records' | 'protections'>,
  { makerId, submission }: QuoteInput,
  request: QuoteRequest,
): RfqError | null => records.refusalOf(makerId) ?? protections.quoteRefusal(makerId, request, submission)

function assertQuotable({ clock }: Context, { request, status, signing }: LiveRequest, makerId: string): QuoteRequest {
  if (status !== 'open') throw new RfqError('request_closed')
  if (signing?.makerId === makerId) throw new RfqError('quote_locked')
  if (clock.now() >= request.expiresAt) throw new RfqError('request_expired')
  return request
}

/** A maker that cannot pay for its new quote is not trusted with its old one either (decision Q4). */
async function refuseInsolvent({ book }: Context, { requestId, makerId }: QuoteInput, fault: RfqError): Promise<never> {
  const former = (await book.quotesOf(makerId)).find((quote) => quote.requestId === requestId)
  if (former !== undefined) await book.remove(former)
  throw fault
}
