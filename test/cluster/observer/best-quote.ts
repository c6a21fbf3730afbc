import type { History, QuoteSeen } from './history.ts'
import { acceptedIn } from './orders.ts'

/** How long a quote may take until it is surely gone, and until a stream shows it, in milliseconds. */
const SETTLED_MS = 1_000

type Look = History['looks'][number]

/**
 * V7: what a taker is shown is the best of what was quoted. A quote that was on its way, in either direction, may count or
 * not; every other one must, so that with nothing on its way there is one right answer.
 */
export function* wrongBestQuotes(history: History): Generator<string> {
  for (const look of history.looks) {
    if (isSigning(history, look)) continue
    const newest = newestOf(history, look)
    const sure = newest.filter((quote) => isSurelyLive(history, quote, look))
    const { requestId, best } = look
    if (best === null) {
      if (sure[0] !== undefined) yield `V7: ${requestId} showed no quote while that of ${sure[0].makerId} was live`
      continue
    }
    const shown = newest.find(({ quoteId }) => quoteId === best)
    if (shown === undefined) {
      const isKnown = newest.every(({ quoteId }) => quoteId !== null)
      if (isKnown) yield `V7: ${requestId} showed ${best}, which nobody quoted`
      continue
    }
    if (isSurelyGone(history, shown, look)) yield `V7: ${requestId} showed the quote of ${shown.makerId} after its end`
    if (!isSurelyKnown(shown, look)) continue
    const misses = missesAt(history, look)
    const better = sure.find((quote) => isSurelyBetter(quote, shown, { history, misses, look }))
    if (better !== undefined) {
      yield `V7: ${requestId} showed ${shown.makerId} at ${shown.price} while ${better.makerId} gave ${better.price}`
    }
  }
}

/** While a maker signs its miss may count already or not yet; before anybody has committed nobody signs. */
const isSigning = (history: History, look: Look): boolean =>
  isCommitted(history, look) &&
  acceptedIn(history).some(
    ({ requestId, deadline }) =>
      requestId === look.requestId &&
      deadline - history.confirmationMs - SETTLED_MS < look.answeredAt &&
      deadline + SETTLED_MS > look.askedAt,
  )

const isCommitted = ({ commits }: History, { requestId, answeredAt }: Look): boolean =>
  commits.some((commit) => commit.requestId === requestId && commit.sentAt < answeredAt)

/** The newest quote of each maker that can have been known at that moment. */
function newestOf({ quotes }: History, { requestId, answeredAt }: Look): QuoteSeen[] {
  const byMaker = new Map<string, QuoteSeen>()
  for (const quote of quotes) {
    if (quote.requestId === requestId && quote.sentAt < answeredAt) byMaker.set(quote.makerId, quote)
  }
  return [...byMaker.values()]
}

/** Whoever asks is told what has been answered; a stream tells it soon. */
const isSurelyKnown = ({ answeredAt }: QuoteSeen, { by, askedAt }: Look): boolean =>
  answeredAt + (by === 'poll' ? 0 : SETTLED_MS) <= askedAt

const isSurelyLive = ({ withdrawals, bookLosses }: History, quote: QuoteSeen, look: Look): boolean => {
  const isOver = (at: number) => at >= quote.sentAt && at < look.answeredAt
  const lasts = quote.livesMs === null || quote.sentAt + quote.livesMs > look.answeredAt + SETTLED_MS
  const isWithdrawn = withdrawals.some(({ quoteId, sentAt }) => quoteId === quote.quoteId && isOver(sentAt))
  return isSurelyKnown(quote, look) && lasts && !isWithdrawn && !bookLosses.some(isOver)
}

const isSurelyGone = ({ withdrawals }: History, quote: QuoteSeen, { askedAt }: Look): boolean =>
  (quote.livesMs !== null && quote.answeredAt + quote.livesMs + SETTLED_MS < askedAt) ||
  withdrawals.some(
    ({ quoteId, sentAt }) => quoteId === quote.quoteId && sentAt > quote.answeredAt && sentAt + SETTLED_MS < askedAt,
  )

/** How many deadlines each maker has missed in the request by then. */
function missesAt(history: History, { requestId, askedAt }: Look): Map<string, number> {
  const counts = new Map<string, number>()
  for (const asked of acceptedIn(history)) {
    if (asked.requestId !== requestId || asked.deadline > askedAt) continue
    counts.set(asked.makerId, (counts.get(asked.makerId) ?? 0) + 1)
  }
  return counts
}

/** Fewer misses, then the better price, then the earlier one of the same price, as far as it can be told (decision Q6). */
function isSurelyBetter(
  quote: QuoteSeen,
  shown: QuoteSeen,
  { history, misses, look }: { history: History; misses: Map<string, number>; look: Look },
): boolean {
  if (!mayBeJudged(history, quote, look) || !mayBeJudged(history, shown, look)) return false
  const missedBy = ({ makerId }: QuoteSeen) => misses.get(makerId) ?? 0
  if (missedBy(quote) !== missedBy(shown)) return missedBy(quote) < missedBy(shown)
  const isBuy = history.opened.find(({ requestId }) => requestId === look.requestId)?.side !== 'sell'
  if (quote.price !== shown.price) return isBuy ? quote.price < shown.price : quote.price > shown.price
  return pricedBy(history, quote).answeredAt < pricedBy(history, shown).sentAt
}

/** A maker whose socket nobody watched may have been passed over for that, which counts as a miss (decision C5). */
const mayBeJudged = (history: History, { makerId }: QuoteSeen, look: Look): boolean =>
  history.sockets.some((socket) => socket.makerId === makerId) || !isCommitted(history, look)

/** The quote by which a maker named the price that it still gives: naming it again costs no place in the row. */
function pricedBy({ quotes }: History, newest: QuoteSeen): QuoteSeen {
  let first = newest
  for (const quote of quotes.toReversed()) {
    if (quote.quoteId !== newest.quoteId || quote.sentAt >= first.sentAt) continue
    if (quote.price !== newest.price) break
    first = quote
  }
  return first
}
