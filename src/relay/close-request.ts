import type { ClosedStatus } from '../domain/request.ts'
import { type Context, record } from './context.ts'
import type { CloseRequest, MakerMessage, RejectReason } from './ports.ts'

type QuoteOwner = { makerId: string; quoteId: string }

const REJECT_REASONS: Record<ClosedStatus, RejectReason> = {
  committed: 'another_quote_won',
  expired: 'request_expired',
  cancelled: 'request_cancelled',
}

/**
 * Ends a request once and tells every maker that quoted how it ended for it (ruling C10). A commit must be in the store
 * before this; the other ends are written here, after the book has made sure that nobody is signing.
 */
export async function closeRequest(
  context: Context,
  { requestId, status, winner }: { requestId: string; status: ClosedStatus; winner?: QuoteOwner },
): Promise<CloseRequest['kind']> {
  const { book, store, bus, log } = context
  const result = await book.close(requestId, status)
  if (result.kind !== 'closed') return result.kind
  if (status !== 'committed') await store.requests.close(requestId, status)
  log.info('request_closed', { requestId, reason: status })
  record(context, requestId, { kind: 'closed', status })
  // After a restart the book has forgotten who quoted, but the winner is known from the store.
  if (winner !== undefined) await bus.publish('maker', winner.makerId, confirmed(requestId, winner.quoteId))
  const reason = REJECT_REASONS[status]
  for (const { makerId, quoteId } of result.quotedBy) {
    if (makerId !== winner?.makerId)
      await bus.publish('maker', makerId, { kind: 'rejected', requestId, quoteId, reason })
  }
  return 'closed'
}

const confirmed = (requestId: string, quoteId: string): MakerMessage => ({ kind: 'confirmed', requestId, quoteId })
