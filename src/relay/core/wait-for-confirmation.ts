import { type Context, record } from './context.ts'
import type { Acceptance } from './ports/store.ts'
import { POLL_INTERVAL_MS, waitFor } from './wait-for.ts'

export type AcceptanceOutcome = 'confirmed' | 'declined' | 'timed_out'

/** Milliseconds until the next look at a deadline when the store's clock is behind the relay's. */
const RETRY_MS = 20

const STORE_RETRY_MS = 1_000

/** Exactly one of confirm and deadline wins, and the store decides (decision C8). */
export async function waitForConfirmation(context: Context, acceptance: Acceptance): Promise<AcceptanceOutcome> {
  const { bus, clock } = context
  const { acceptanceId, deadline } = acceptance
  let wasOverdue = false
  try {
    return await waitFor<AcceptanceOutcome>(clock, {
      listen: (end) => bus.subscribe('acceptance', acceptanceId, end),
      // An unreadable store does not end the wait: only the deadline does.
      poll: () => {
        wasOverdue = clock.now() >= deadline
        return wasOverdue ? endOverdue(context, acceptance) : outcomeOf(context, acceptance).catch(() => null)
      },
      // An answer read after the deadline may be older: the deadline is still to be judged.
      nextPoll: () => (wasOverdue ? clock.now() + RETRY_MS : Math.min(clock.now() + POLL_INTERVAL_MS, deadline)),
    })
  } catch (fault) {
    endLater(context, acceptance)
    throw fault
  }
}

/** Retries until the store can be written; until then the request takes no other commit. */
function endLater(context: Context, acceptance: Acceptance): void {
  const { clock } = context
  clock.schedule(clock.now() + STORE_RETRY_MS, () => {
    endOverdue(context, acceptance).catch(() => endLater(context, acceptance))
  })
}

/** Returns the store's state if the store refuses, null while the acceptance is pending there. */
export async function endOverdue(context: Context, acceptance: Acceptance): Promise<AcceptanceOutcome | null> {
  if (!(await context.store.acceptances.end(acceptance.acceptanceId, 'timed_out')))
    return outcomeOf(context, acceptance)
  announceMissed(context, acceptance)
  return 'timed_out'
}

/** The maker is notified at once, even if the miss does not count against it. */
export function announceMissed(context: Context, { requestId, quoteId, makerId }: Acceptance): void {
  const { bus, log } = context
  log.info('confirmation_missed', { requestId, quoteId, makerId })
  record(context, requestId, { kind: 'missed', makerId, quoteId })
  context.background.run('miss_not_told', () => bus.publish('maker', makerId, { kind: 'missed', requestId, quoteId }))
}

/** Null while pending; an acceptance that the store no longer remembers is long over. */
async function outcomeOf({ store }: Context, { acceptanceId, quoteId }: Acceptance): Promise<AcceptanceOutcome | null> {
  const current = await store.acceptances.findByQuote(quoteId)
  if (current?.acceptanceId !== acceptanceId) return 'timed_out'
  return current.state === 'pending' ? null : current.state
}
