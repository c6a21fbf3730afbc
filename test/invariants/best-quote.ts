import type { Assert } from './invariants.ts'
import type { Moment, OrderSent, QuoteSeen, QuoteShown, SideSeen } from './observation.ts'
import { ordersSent } from './orders.ts'
import type { RequestHistory, Surroundings } from './request-history.ts'

/** On the wire: how much longer before a maker is asked its quote may be held, in milliseconds. */
const HELD_MS = 500

/** A commit that is answered within this has waited for no maker that was not there, in milliseconds. */
const UNWAITED_MS = 900

/** A request on one side, with what is looked up again and again. */
type Book = {
  request: RequestHistory
  around: Surroundings
  isBuy: boolean
  /** Whether something is about this side, which it names where both are asked for. */
  isMeant: (side: SideSeen | undefined) => boolean
  /** Until when any quote can live, Unix milliseconds: a commit that was cut off may hold the request open for longer. */
  expiresAt: number
  quotes: readonly QuoteSeen[]
  byQuoteId: ReadonlyMap<string, readonly QuoteSeen[]>
  asked: readonly OrderSent[]
  /** The first answer to any quote, Unix milliseconds. */
  firstAnswerAt: number
}

/**
 * V7: what a taker is shown is the best of what was quoted, and what is traded is. A quote that was on its way, in either
 * direction, may count or not; every other one must, so that with nothing on its way there is one right answer.
 */
export function checkBestQuote(request: RequestHistory, around: Surroundings, assert: Assert): void {
  for (const side of sidesOf(request)) {
    const book = createBook(request, around, side)
    for (const shown of request.of('quote_shown')) if (book.isMeant(shown.side)) checkShown(book, shown, assert)
    checkWhole(book, assert)
    if (around.isExact) checkAsked(book, assert)
    else checkTraded(book, assert)
  }
}

function sidesOf(request: RequestHistory): readonly SideSeen[] {
  const [opened] = request.of('request_opened')
  if (opened?.side === 'both') return ['buy', 'sell']
  return [opened?.side ?? 'buy']
}

/** A quote as it reads on a side. */
const readOn = (quote: QuoteSeen, side: SideSeen): QuoteSeen =>
  quote.otherPrice === undefined || side === 'buy'
    ? quote
    : { ...quote, price: quote.otherPrice, otherPrice: quote.price }

function createBook(request: RequestHistory, around: Surroundings, side: SideSeen): Book {
  const quotes = request
    .of('quote')
    .filter(({ isRefused }) => !isRefused)
    .map((quote) => readOn(quote, side))
  const byQuoteId = new Map<string, QuoteSeen[]>()
  for (const quote of quotes) {
    if (quote.quoteId !== null) byQuoteId.set(quote.quoteId, [...(byQuoteId.get(quote.quoteId) ?? []), quote])
  }
  const firstAnswerAt = quotes.reduce((first, { answered }) => Math.min(first, answered?.at ?? first), Infinity)
  const [opened] = request.of('request_opened')
  const isBuy = side === 'buy'
  const isMeant = (named: SideSeen | undefined) => opened?.side !== 'both' || (named ?? 'buy') === side
  const expiresAt = opened?.expiresAt ?? Infinity
  return { request, around, isBuy, isMeant, expiresAt, quotes, byQuoteId, asked: ordersSent(request), firstAnswerAt }
}

const isBefore = (a: Moment, b: Moment): boolean => a.order < b.order

function checkShown(book: Book, shown: QuoteShown, assert: Assert): void {
  const { requestId } = shown
  if (isSigning(book, shown)) return
  const hasSure =
    book.around.isExact || book.firstAnswerAt + (shown.by === 'poll' ? 0 : book.around.lagMs) <= shown.asked.at
  const sure = hasSure ? newestOf(book, shown).filter((quote) => isSurelyLive(book, quote, shown)) : []
  if (shown.quoteCount !== null && book.around.isExact) {
    const { quoteCount } = shown
    assert(
      'V7',
      requestId,
      quoteCount === sure.length,
      () => `${requestId} showed ${quoteCount} quotes while ${sure.length} were live`,
    )
  }
  if (shown.quoteId === null) {
    const [live] = sure
    assert(
      'V7',
      requestId,
      live === undefined,
      () => `${requestId} showed no quote while that of ${live?.makerId} was live`,
    )
    return
  }
  const quote = book.byQuoteId.get(shown.quoteId)?.findLast(({ sent }) => isBefore(sent, shown.answered))
  if (quote === undefined) {
    const isKnown = book.quotes.every(({ quoteId, sent }) => quoteId !== null || !isBefore(sent, shown.answered))
    assert('V7', requestId, !isKnown, () => `${requestId} showed ${shown.quoteId}, which nobody quoted`)
    return
  }
  const isReplaced = isPerhapsReplaced(book, quote, shown.answered)
  const isGone = !isReplaced && isSurelyGone(book, quote, shown)
  assert('V7', requestId, !isGone, () => `${requestId} showed the quote of ${quote.makerId} after its end`)
  if (!isSurelyKnown(book, quote, shown) || isReplaced) return
  const better = sure.find((other) => isSurelyBetter(book, { other, quote, at: shown.asked, seenBy: shown.answered }))
  assert(
    'V7',
    requestId,
    better === undefined,
    () => `${requestId} showed ${quote.makerId} at ${quote.price} while ${better?.makerId} gave ${better?.price}`,
  )
}

/**
 * Whether its maker has sent another one since of which no answer came: it would have the same id, and another price. Or it was itself
 * lost with the last writes of the live market, and the one before is back.
 */
const isPerhapsReplaced = ({ quotes }: Book, { makerId, sent, mayBeLost }: QuoteSeen, by: Moment): boolean =>
  mayBeLost === true ||
  quotes.some(
    (other) =>
      other.makerId === makerId && other.quoteId === null && isBefore(sent, other.sent) && isBefore(other.sent, by),
  )

/** On the wire, while a maker signs its miss may count already or not yet; before anybody has committed nobody signs. */
const isSigning = ({ request, around, asked }: Book, shown: QuoteShown): boolean =>
  !around.isExact &&
  isCommitted(request, shown.answered) &&
  [...asked, ...takenFirm(request)].some(({ asked: when, deadline, makerId }) => {
    if (when.at - HELD_MS - around.lagMs >= shown.answered.at) return false
    const isTold = request
      .of('deadlines_missed')
      .some((miss) => miss.makerId === makerId && miss.moment.order > when.order && miss.moment.at < shown.asked.at)
    return deadline + Math.max(around.lagMs, isTold ? 0 : (around.takeoverMs ?? 0)) > shown.asked.at
  })

/** A commit of a firm quote waits for no maker; its stream may show what is left, as of any that is about to close. */
const takenFirm = (request: RequestHistory) =>
  request.of('order_taken').map(({ asked, makerId }) => ({ asked, makerId, deadline: asked.at }))

const isCommitted = (request: RequestHistory, by: Moment): boolean =>
  request.of('commit').some(({ sent }) => isBefore(sent, by))

/** The newest quote of each maker that can have been known at that moment. */
function newestOf({ quotes }: Book, { answered }: Pick<QuoteShown, 'answered'>): QuoteSeen[] {
  const byMaker = new Map<string, QuoteSeen>()
  for (const quote of quotes) if (isBefore(quote.sent, answered)) byMaker.set(quote.makerId, quote)
  return [...byMaker.values()]
}

/** Who asks is told what has been answered; a stream tells it soon. */
const isSurelyKnown = ({ around }: Book, { answered }: QuoteSeen, { by, asked }: QuoteShown): boolean =>
  answered !== null &&
  (around.isExact || by === 'poll' ? answered.order <= asked.order : answered.at + around.lagMs <= asked.at)

const isSurelyLive = (book: Book, quote: QuoteSeen, shown: QuoteShown): boolean =>
  isSurelyKnown(book, quote, shown) && lasts(book, quote, shown.answered)

/** Whether a quote is surely live from when it was sent until then. */
const lasts = (book: Book, quote: QuoteSeen, until: Moment): boolean =>
  isUnended(book, quote, until) &&
  Math.min(quote.sent.at + (quote.livesMs ?? Infinity), book.expiresAt) >
    until.at + book.around.lagMs + book.around.apartMs(quote.sent.at, until.at)

/** Whether a quote was neither withdrawn nor lost until then, though its time may be over. */
function isUnended({ request, around }: Book, { quoteId, sent }: QuoteSeen, until: Moment): boolean {
  // What the relay takes out by itself is heard of a little later.
  const isPast = (moment: Moment) => isBefore(moment, until) || (!around.isExact && moment.at < until.at)
  const isOver = (moment: Moment) => moment.order >= sent.order && isPast(moment)
  return (
    !request.of('quote_withdrawn').some((withdrawn) => withdrawn.quoteId === quoteId && isOver(withdrawn.sent)) &&
    !around.bookLosses.some(isOver)
  )
}

function isSurelyGone(
  { request, around, expiresAt }: Book,
  quote: QuoteSeen,
  { asked, answered: shownAt }: QuoteShown,
): boolean {
  const { sent, answered, livesMs, quoteId } = quote
  if (answered === null) return false
  const { isExact, lagMs, apartMs } = around
  const isPast = (moment: Moment) => (isExact ? isBefore(moment, asked) : moment.at + lagMs < asked.at)
  // One node says until when it lives, and another one whether it still does.
  const livesUntil = answered.at + (livesMs ?? Infinity) + apartMs(sent.at, answered.at)
  const endsAt = Math.min(livesUntil, expiresAt) + apartMs(asked.at, shownAt.at)
  return (
    (isExact ? endsAt <= asked.at : endsAt + lagMs < asked.at) ||
    request
      .of('quote_withdrawn')
      .some(
        (withdrawn) =>
          withdrawn.mayStand !== true &&
          withdrawn.quoteId === quoteId &&
          isBefore(answered, withdrawn.sent) &&
          isPast(withdrawn.sent),
      ) ||
    (isExact && around.bookLosses.some((lost) => isBefore(answered, lost) && isPast(lost)))
  )
}

/** Fewer misses, then the better price, then the earlier one of the same price, as far as it can be told (decision Q6). */
function isSurelyBetter(
  book: Book,
  { other, quote, at, seenBy }: { other: QuoteSeen; quote: QuoteSeen; at: Moment; seenBy: Moment },
): boolean {
  if (!isComparable(book, other, seenBy) || !isComparable(book, quote, seenBy)) return false
  if (isMoving(book, other, { at, seenBy }) || isMoving(book, quote, { at, seenBy })) return false
  const rank = rankOf(book, other, at) - rankOf(book, quote, at)
  if (rank !== 0) return rank < 0
  if (other.price !== quote.price) return isBetterPrice(book, other.price, quote.price)
  const [firm, firmQuote] = [isFirm(book, other, at), isFirm(book, quote, at)]
  if (firm === null || firmQuote === null) return false
  if (firm !== firmQuote) return firm
  // Of one that named its price again when it had just expired it is not known whether it kept its place.
  const [since, sinceQuote] = [pricedBy(book, other, lasts), pricedBy(book, quote, isUnended)]
  const { isExact, clockErrorMs, apartMs, bookLosses } = book.around
  const apart = ({ sent, answered }: QuoteSeen): number => apartMs(sent.at, answered?.at)
  // Of a quote from before a loss of the live market it is not known whether it kept its place.
  const isDoubtful = ({ sent }: QuoteSeen): boolean => bookLosses.some((lost) => sent.at <= lost.at && lost.at <= at.at)
  const former = [other, quote].flatMap(({ quoteId }) => book.byQuoteId.get(quoteId ?? '') ?? [])
  if (!isExact)
    return (
      !former.some(isDoubtful) &&
      since.answered !== null &&
      isBefore(since.answered, sinceQuote.sent) &&
      since.answered.at + clockErrorMs + apart(since) + apart(sinceQuote) <= sinceQuote.sent.at
    )
  const [from, fromQuote] = [since.countsFrom ?? since.sent.at, sinceQuote.countsFrom ?? sinceQuote.sent.at]
  if (from !== fromQuote) return from < fromQuote
  return String(other.quoteId) < String(quote.quoteId)
}

/** Whether a quote is firm then; null: it is not known. */
function isFirm({ request, around }: Book, { quoteId, sent }: QuoteSeen, at: Moment): boolean | null {
  const firmSignatures = request
    .of('quote_sealed')
    .filter((firm) => firm.quoteId === quoteId && isBefore(sent, firm.sent))
  if (firmSignatures.length > 0 && !around.isExact) return null
  return firmSignatures.some((firm) => firm.status === 200 && isBefore(firm.sent, at))
}

/** Whether a quote had been made firm when it was committed to. */
const isSurelyFirm = ({ request }: Book, { quoteId, sent }: QuoteSeen, by: Moment): boolean =>
  request
    .of('quote_sealed')
    .some(
      (firm) =>
        firm.quoteId === quoteId &&
        firm.status === 200 &&
        firm.answered !== null &&
        isBefore(sent, firm.sent) &&
        isBefore(firm.answered, by),
    )

const isBetterPrice = ({ isBuy }: Book, a: bigint, b: bigint): boolean => (isBuy ? a < b : a > b)

/** On the wire, a maker whose socket was not observed may have been passed over for that, which counts as a miss (decision C5). */
const isComparable = ({ around, request }: Book, { makerId }: QuoteSeen, by: Moment): boolean =>
  around.isExact || around.makersWithSocket.has(makerId) || !isCommitted(request, by)

/** On the wire, a maker that was demoted, or missed, while it was looked at may rank as before or as after. */
const isMoving = (
  { around, request }: Book,
  { makerId }: QuoteSeen,
  { at, seenBy }: { at: Moment; seenBy: Moment },
): boolean =>
  !around.isExact &&
  [...around.demotions, ...request.of('deadlines_missed')].some(
    (one) =>
      one.makerId === makerId && one.moment.at >= at.at - around.lagMs && one.moment.at <= seenBy.at + around.lagMs,
  )

/** More misses than anybody has in a request: those who are demoted come after all others. */
const DEMOTED = 1_000_000

/** Where a maker ranks before its price is looked at: the lower the better. */
function rankOf({ request, around, asked }: Book, { makerId }: QuoteSeen, at: Moment): number {
  const demotion = around.demotions.findLast((one) => one.makerId === makerId && isBefore(one.moment, at))
  const told = request.of('deadlines_missed').findLast((one) => one.makerId === makerId && isBefore(one.moment, at))
  const inferred =
    around.isExact || around.takeoverMs !== null
      ? []
      : asked.filter((one) => one.makerId === makerId && one.deadline <= at.at)
  return (demotion?.isDemoted === true ? DEMOTED : 0) + (told?.misses ?? inferred.length)
}

/** The quote by which a maker named the price that it still gives: naming it again costs no place in the row. */
function pricedBy(book: Book, newest: QuoteSeen, isKept: typeof lasts): QuoteSeen {
  const former = newest.quoteId === null ? [] : (book.byQuoteId.get(newest.quoteId) ?? [])
  let first = newest
  for (const quote of former.toReversed()) {
    if (!isBefore(quote.sent, first.sent)) continue
    const isSamePrice = quote.price === newest.price && quote.otherPrice === newest.otherPrice
    if (!isSamePrice || !isKept(book, quote, first.sent)) break
    first = quote
  }
  return first
}

/**
 * A taker that is told of as many quotes as were ever made, each maker having made one, is shown the best of all: this holds
 * although nobody knows which of two connections is read first.
 */
function checkWhole(book: Book, assert: Assert): void {
  const { request, around, quotes } = book
  const isSimple =
    !around.isExact &&
    quotes.length > 0 &&
    new Set(quotes.map(({ makerId }) => makerId)).size === quotes.length &&
    quotes.every(({ quoteId, livesMs }) => quoteId !== null && livesMs === null) &&
    request.of('quote_withdrawn').length === 0 &&
    around.bookLosses.length === 0 &&
    around.demotions.length === 0
  if (!isSimple) return
  const best = quotes.map(({ price }) => price).reduce((top, price) => (isBetterPrice(book, price, top) ? price : top))
  for (const { side, quoteCount, quoteId, answered } of request.of('quote_shown')) {
    if (!book.isMeant(side)) continue
    if (quoteCount !== quotes.length || quoteId === null || isCommitted(request, answered)) continue
    const price = book.byQuoteId.get(quoteId)?.[0]?.price
    assert(
      'V7',
      request.requestId,
      price === undefined || price === best,
      () => `${request.requestId} was shown at ${price}, the best of all was ${best}`,
    )
  }
}

/** On the wire: no maker that was there throughout and was not asked gave better than the one that trades. */
function checkTraded(book: Book, assert: Assert): void {
  const { request, around, byQuoteId } = book
  const [first] = request.of('commit')
  if (first === undefined) return
  for (const { side, quoteId, answered, revealed, isFirmOnly = false } of request.of('commit')) {
    if (!book.isMeant(side)) continue
    const traded = quoteId === null ? [] : (byQuoteId.get(quoteId) ?? [])
    const [any] = traded
    if (any === undefined || answered === null || isPerhapsReplaced(book, any, answered)) continue
    const price = traded.map((quote) => quote.price).reduce((a, b) => (isBetterPrice(book, a, b) ? a : b))
    // One before it may have asked a maker that was killed and never heard of it: what it missed ranks behind since.
    const isUnwaited = revealed === null && request.of('commit').every((commit) => wasQuick(commit, answered))
    const makersThere = isUnwaited ? around.makersWithSocket : new Set(around.lastingSockets.values())
    const better = standing(book, first.sent, answered).find(
      (quote) =>
        quote.quoteId !== quoteId &&
        makersThere.has(quote.makerId) &&
        quote.size >= any.size &&
        (!isFirmOnly || isSurelyFirm(book, quote, first.sent)) &&
        isBetterPrice(book, quote.price, price),
    )
    assert(
      'V7',
      request.requestId,
      better === undefined,
      () => `${request.requestId} was taken at ${price} while ${better?.makerId} gave ${better?.price}`,
    )
  }
}

/** Whether a commit has waited for no maker, or began only afterwards. */
const wasQuick = ({ sent, answered }: { sent: Moment; answered: Moment | null }, until: Moment): boolean =>
  isBefore(until, sent) || (answered !== null && answered.at - sent.at < UNWAITED_MS)

/** With exact moments: who is asked gave no worse price than another one of its rank that was there and not passed over. */
function checkAsked(book: Book, assert: Assert): void {
  const { request, asked } = book
  for (const { quoteId, asked: when, order } of asked) {
    if (!book.isMeant(order.makerSelling ? 'buy' : 'sell')) continue
    const quote = book.byQuoteId.get(quoteId)?.findLast(({ sent }) => isBefore(sent, when))
    const commit = request
      .of('commit')
      .find(
        ({ side, sent, answered }) =>
          book.isMeant(side) && isBefore(sent, when) && (answered === null || isBefore(when, answered)),
      )
    if (quote === undefined || commit === undefined) continue
    const better = standing(book, commit.sent, when).find(
      (other) =>
        other.quoteId !== quoteId &&
        isBetterPrice(book, other.price, quote.price) &&
        rankOf(book, other, when) <= rankOf(book, quote, when),
    )
    assert(
      'V7',
      request.requestId,
      better === undefined,
      () => `${quote.makerId} was asked at ${quote.price} while ${better?.makerId} gave ${better?.price}`,
    )
  }
}

/** The quotes that stood unchanged all the time, and whose makers were neither asked before then nor passed over. */
function standing(book: Book, from: Moment, until: Moment): QuoteSeen[] {
  const { request, asked } = book
  const skipped = new Set([
    ...asked.filter(({ asked: when }) => isBefore(when, until)).map(({ quoteId }) => quoteId),
    ...request.of('passed_over').map(({ quoteId }) => quoteId),
  ])
  return newestOf(book, { answered: until }).filter(
    (quote) =>
      quote.quoteId !== null &&
      !skipped.has(quote.quoteId) &&
      quote.answered !== null &&
      isBefore(quote.answered, from) &&
      lasts(book, quote, until),
  )
}
