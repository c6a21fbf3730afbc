import { RfqError } from '../domain/errors.ts'
import { type Context, record } from './context.ts'

/** Ends the wait for a maker that will not sign, so that the next one is asked at once (ruling C9). */
export async function decline(
  context: Context,
  { makerId, quoteId }: { makerId: string; quoteId: string },
): Promise<void> {
  const { store, bus, clock, log } = context
  const acceptance = await store.acceptances.findByQuote(quoteId)
  if (acceptance === null || acceptance.makerId !== makerId || acceptance.state !== 'pending') {
    throw new RfqError('no_pending_acceptance')
  }
  if (!(await store.acceptances.end(acceptance.acceptanceId, 'declined'))) throw new RfqError('no_pending_acceptance')
  log.info('maker_declined', { quoteId, makerId })
  const waitedMs = clock.now() - acceptance.createdAt
  record(context, acceptance.requestId, { kind: 'declined', makerId, quoteId, waitedMs })
  await bus.publish('acceptance', acceptance.acceptanceId, 'declined')
}
