import { RfqError } from '../domain/errors.ts'
import { type Context, record } from './context.ts'
import type { Acceptance } from './ports/store.ts'

/** Ends the wait for a maker that will not sign, so that the next one is asked at once. */
export async function decline(
  context: Context,
  { makerId, quoteId, reason = null }: { makerId: string; quoteId: string; reason?: string | null },
): Promise<void> {
  const acceptance = await context.store.acceptances.findByQuote(quoteId)
  if (acceptance === null || acceptance.makerId !== makerId || acceptance.state !== 'pending') {
    throw new RfqError('no_pending_acceptance')
  }
  if (!(await endDeclined(context, acceptance, reason))) throw new RfqError('no_pending_acceptance')
}

/** Ends a pending acceptance whose maker will not sign, or may not; false when it has ended otherwise. */
export async function endDeclined(context: Context, acceptance: Acceptance, reason: string | null): Promise<boolean> {
  const { store, bus, clock, log } = context
  const { acceptanceId, requestId, quoteId, makerId, createdAt } = acceptance
  if (!(await store.acceptances.end(acceptanceId, 'declined'))) return false
  log.info('maker_declined', { quoteId, makerId })
  record(context, requestId, { kind: 'declined', makerId, quoteId, waitedMs: clock.now() - createdAt, reason })
  await bus.publish('acceptance', acceptanceId, 'declined')
  return true
}
