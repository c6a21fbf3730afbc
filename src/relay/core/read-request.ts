import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { OrderState } from '@rfqctl/protocol/domain/order-end'
import { fillsHalf, isFirmEnough, type Quote } from '@rfqctl/protocol/domain/quote'
import { onSide } from '@rfqctl/protocol/domain/request'
import type { Context } from './context.ts'
import { assertUnlocked, findRequest, findStored } from './find-request.ts'
import type { OrderWatch } from './order-watch.ts'
import type { BookTop, LiveRequest } from './ports/book.ts'
import type { Stop } from './ports/runtime.ts'

/**
 * `bestForSize` is the best quote that fills at least half of the amount: with only very few options at the best price,
 * it is the tradable one. `orderStanding` is null unless the request is committed.
 */
export type PolledRequest = BookTop & { bestForSize: Quote | null; orderStanding: OrderState | null }

export async function readRequest(
  context: Context,
  orderWatch: OrderWatch,
  { requestId, takerSecret }: { requestId: string; takerSecret: string | null },
): Promise<PolledRequest> {
  const live = await findRequest(context, requestId)
  assertUnlocked(context, live.request, takerSecret)
  return withDetails(context, orderWatch, topOf(live, await context.book.top(requestId)))
}

async function withDetails(context: Context, orderWatch: OrderWatch, top: BookTop): Promise<PolledRequest> {
  const [bestForSize, orderStanding] = await Promise.all([
    findBestForSize(context, top),
    top.status === 'committed' ? findStanding(context, orderWatch, top.request.requestId) : null,
  ])
  return { ...top, bestForSize, orderStanding }
}

async function findStanding({ store }: Pick<Context, 'store'>, { standingOf }: OrderWatch, requestId: string) {
  const end = await store.orders.endOf(requestId)
  if (end !== null) return end
  const execution = await store.executions.findByRequest(requestId)
  return execution === null ? null : standingOf(execution.acceptance.order, null)
}

async function findBestForSize({ book, clock }: Context, { request, best }: BookTop): Promise<Quote | null> {
  if (best === null) return null
  const { trade } = onSide(request, best.side)
  if (fillsHalf(trade, best)) return best
  const now = clock.now()
  const ranked = await book.ranked(request.requestId)
  const isBig = (quote: Quote) => quote.expiresAt > now && fillsHalf(trade, quote)
  return ranked.find((quote) => isBig(quote) && isFirmEnough(request, quote)) ?? null
}

export async function watchRequest(
  context: Context,
  watcher: { requestId: string; takerSecret: string | null; onChange: (top: BookTop) => void },
): Promise<{ top: BookTop; stop: Stop }> {
  const { requestId, takerSecret, onChange } = watcher
  const live = await findRequest(context, requestId)
  assertUnlocked(context, live.request, takerSecret)
  const { top, stop } = await watchTop(context, requestId, onChange)
  if (live.status === 'open' && top?.status === 'open') return { top, stop }
  stop()
  throw new RfqError('request_not_found', { detail: 'The quote request is closed.' })
}

/** For the call that has opened the request, which may have ended since, or before where the call is a repeat. */
export async function watchOpened(
  context: Context,
  { requestId, onChange }: { requestId: string; onChange: (top: BookTop) => void },
): Promise<{ top: BookTop; stop: Stop }> {
  const { top, stop } = await watchTop(context, requestId, onChange)
  if (top !== null) return { top, stop }
  stop()
  return { top: await readOpened(context, requestId), stop }
}

/**
 * Waits until `quotes` makers have a quote, the request has ended, `waitMs` are over, or what `onWait` gets is called; reads the
 * request then, for the call that has opened it. The request lives on without the wait.
 */
export async function awaitQuotes(
  context: Context,
  orderWatch: OrderWatch,
  wait: { requestId: string; quotes: number; waitMs: number; onWait: (end: () => void) => Stop },
): Promise<PolledRequest> {
  const { requestId, quotes, waitMs, onWait } = wait
  const { clock } = context
  const isOver = ({ status, quoteCount }: BookTop) => status !== 'open' || quoteCount >= quotes
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const { top, stop } = await watchOpened(context, { requestId, onChange: (changed) => isOver(changed) && end() })
  if (!isOver(top) && waitMs > 0) {
    const stopTimer = clock.schedule(clock.now() + waitMs, end)
    const leave = onWait(end)
    await ended
    stopTimer()
    leave()
  }
  stop()
  return withDetails(context, orderWatch, await readOpened(context, requestId))
}

/** Listening comes first, so that no change falls between the first read and the next. */
async function watchTop({ book }: Context, requestId: string, onChange: (top: BookTop) => void) {
  const stop = await book.watch(requestId, onChange)
  try {
    return { top: await book.top(requestId), stop }
  } catch (fault) {
    stop()
    throw fault
  }
}

/** The book forgets an ended request before the store does. */
async function readOpened(context: Context, requestId: string): Promise<BookTop> {
  const top = await context.book.top(requestId)
  if (top !== null) return top
  const live = await findStored(context, requestId)
  if (live === null) throw new RfqError('request_not_found')
  return topOf(live, await context.book.top(requestId))
}

/** Uses the book, unless the request is over and the book has not caught up. */
function topOf(live: LiveRequest, top: BookTop | null): BookTop {
  if (top === null) return emptyTop(live)
  return live.status !== 'open' && top.status === 'open' ? { ...emptyTop(live), bookSeq: top.bookSeq + 1 } : top
}

const emptyTop = ({ request, status }: LiveRequest): BookTop => ({
  request,
  status,
  confirming: false,
  best: null,
  quoteCount: 0,
  bookSeq: 0,
})
