import type { ClosedStatus } from '../domain/request.ts'
import { type Context, record } from './context.ts'
import type { MakerMessage, RejectReason } from './ports/bus.ts'

/** Whose quote won. */
type Winner = { makerId: string; quoteId: string }

const REJECT_REASONS: Record<ClosedStatus, RejectReason> = {
  committed: 'another_quote_won',
  expired: 'request_expired',
  cancelled: 'request_cancelled',
}

/**
 * Ends a request that nobody committed. The store is the judge, and comes first: what it has not closed is open again
 * after a restart. `closed` for exactly one caller; `locked` while a maker is asked to sign.
 */
export async function closeRequest(
  context: Context,
  { requestId, status }: { requestId: string; status: Exclude<ClosedStatus, 'committed'> },
): Promise<'closed' | 'locked' | 'absent'> {
  const { book, store } = context
  const live = await book.find(requestId)
  if (live !== null && live.signing !== null) return 'locked'
  const isCloser = await store.requests.close(requestId, status)
  const stored = isCloser ? null : await store.requests.find(requestId)
  if (stored?.status === 'open') return 'locked'
  await announceClose(context, { requestId, status: stored?.status ?? status })
  return isCloser ? 'closed' : 'absent'
}

/**
 * Makes the end of a request, which the store knows already, known to everybody: makers, watchers, and each maker that
 * quoted what became of its quote (ruling C10). Whoever closes the book tells; repeating it changes nothing.
 */
export async function announceClose(
  context: Context,
  { requestId, status, winner }: { requestId: string; status: ClosedStatus; winner?: Winner },
): Promise<void> {
  const { book, store, bus, log, handover } = context
  const result = await book.close(requestId, status)
  if (result.kind === 'absent') await handover?.announced(requestId)
  if (result.kind !== 'closed') return
  log.info('request_closed', { requestId, reason: status })
  record(context, requestId, { kind: 'closed', status })
  const losers = result.quotedBy.filter(({ makerId }) => makerId !== winner?.makerId)
  const reason = REJECT_REASONS[status]
  const rejections = losers.map((loser) => ({ ...loser, requestId, reason }))
  store.history.reject(rejections)
  const messages: [makerId: string, message: MakerMessage][] = rejections.map(({ makerId, quoteId }) => [
    makerId,
    { kind: 'rejected', requestId, quoteId, reason },
  ])
  // After a restart the book has forgotten who quoted, but the winner is known from the store.
  if (winner !== undefined)
    messages.unshift([winner.makerId, { kind: 'confirmed', requestId, quoteId: winner.quoteId }])
  for (const [makerId, message] of messages) await bus.publish('maker', makerId, message)
  await handover?.announced(requestId)
}
