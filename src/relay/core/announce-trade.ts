import { announceClosed, closeBook } from './close-request.ts'
import { type Context, record } from './context.ts'
import type { Execution } from './ports/store.ts'

/** The maker's record is first. `waitedMs` is null if the maker signed beforehand. */
export function announceTrade(context: Context, execution: Execution, waitedMs: number | null): void {
  const { executionId, acceptance } = execution
  const { requestId, quoteId, makerId, order } = acceptance
  context.proven.noteConfirmed(makerId)
  context.log.info('maker_confirmed', { requestId, quoteId, makerId, durationMs: waitedMs ?? 0 })
  const orderHash = context.digests.of(acceptance)
  const told = { kind: 'confirmed', makerId, quoteId, executionId, waitedMs: waitedMs ?? 0, orderHash } as const
  record(context, requestId, waitedMs === null ? { ...told, order } : told)
  const noted = { kind: 'confirmed', requestId, quoteId } as const
  context.records.note(makerId, waitedMs === null ? noted : { ...noted, waitedMs })
  context.background.run('confirmation_not_told', () => closeOnTrade(context, execution))
}

/**
 * Runs after the trade is stored, so that no answer waits for it: wakes the taker's commit, closes the book, and
 * notifies everyone else after both answers have left. If a message fails, the commit and other nodes find the trade in
 * the store.
 */
async function closeOnTrade(context: Context, { acceptance }: Execution): Promise<void> {
  const { bus, clock } = context
  const { acceptanceId, requestId } = acceptance
  const ended = { requestId, status: 'committed', winner: acceptance } as const
  try {
    const [quotedBy] = await Promise.all([
      closeBook(context, ended),
      bus.publish('acceptance', acceptanceId, 'confirmed'),
    ])
    if (quotedBy === null) return
    await new Promise<void>((resolve) => {
      clock.afterTurn(() => resolve(announceClosed(context, ended, quotedBy)))
    })
  } catch (fault) {
    context.log.error('confirmation_not_told', { requestId, fault })
  }
}
