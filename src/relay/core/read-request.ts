import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { OrderState } from '@rfqctl/protocol/domain/order-end'
import { fillsHalf, isFirmEnough, type Quote } from '@rfqctl/protocol/domain/quote'
import type { Context } from './context.ts'
import { assertUnlocked, findRequest } from './find-request.ts'
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
  const top = topOf(live, await context.book.top(requestId))
  const [bestForSize, orderStanding] = await Promise.all([
    findBestForSize(context, top),
    top.status === 'committed' ? findStanding(context, orderWatch, requestId) : null,
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
  if (best === null || fillsHalf(request.trade, best)) return best
  const now = clock.now()
  const ranked = await book.ranked(request.requestId)
  const isBig = (quote: Quote) => quote.expiresAt > now && fillsHalf(request.trade, quote)
  return ranked.find((quote) => isBig(quote) && isFirmEnough(request, quote)) ?? null
}

export async function watchRequest(
  context: Context,
  watcher: { requestId: string; takerSecret: string | null; onChange: (top: BookTop) => void },
): Promise<{ top: BookTop; stop: Stop }> {
  const { requestId, takerSecret, onChange } = watcher
  const live = await findRequest(context, requestId)
  assertUnlocked(context, live.request, takerSecret)
  // Listening comes first, so that no change falls between the first read and the next.
  const stop = await context.book.watch(requestId, onChange)
  const top = await context.book.top(requestId)
  if (live.status !== 'open' || top === null || top.status !== 'open') {
    stop()
    throw new RfqError('request_not_found', { detail: 'The quote request is closed.' })
  }
  return { top, stop }
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
