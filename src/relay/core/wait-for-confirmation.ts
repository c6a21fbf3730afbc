import { type Context, record } from './context.ts'
import type { Acceptance } from './ports/store.ts'
import { POLL_INTERVAL_MS, waitFor } from './wait-for.ts'

/** How a pending acceptance ended. */
export type AcceptanceOutcome = 'confirmed' | 'declined' | 'timed_out'

/** How soon a deadline is looked at again when the store's clock is behind ours. */
const RETRY_MS = 20

/** How soon a store that failed is tried again. */
const STORE_RETRY_MS = 1_000

/**
 * Waits until the maker confirms or declines, or the deadline passes. Exactly one of confirm and deadline wins, and the
 * store is the judge (decision C8).
 */
export async function waitForConfirmation(context: Context, acceptance: Acceptance): Promise<AcceptanceOutcome> {
  const { bus, clock } = context
  const { acceptanceId, deadline } = acceptance
  let wasOverdue = false
  try {
    return await waitFor<AcceptanceOutcome>(clock, {
      listen: (end) => bus.subscribe('acceptance', acceptanceId, end),
      // A store that cannot be read now does not end the wait: only the deadline does.
      poll: () => {
        wasOverdue = clock.now() >= deadline
        return wasOverdue ? endOverdue(context, acceptance) : outcomeOf(context, acceptance).catch(() => null)
      },
      // An answer that came after the deadline may be from before it: then the deadline is still to be judged.
      nextPoll: () => (wasOverdue ? clock.now() + RETRY_MS : Math.min(clock.now() + POLL_INTERVAL_MS, deadline)),
    })
  } catch (fault) {
    endLater(context, acceptance)
    throw fault
  }
}

/** Ends an overdue acceptance once the store can be written again; until then its request takes no other commit. */
function endLater(
  context: Pick<Context, 'clock' | 'store' | 'bus' | 'log' | 'audit' | 'background'>,
  acceptance: Acceptance,
): void {
  const { clock } = context
  clock.schedule(clock.now() + STORE_RETRY_MS, () => {
    endOverdue(context, acceptance).catch(() => endLater(context, acceptance))
  })
}

/** Times an overdue acceptance out; when the store says no, what it says instead, null while it is pending there. */
export async function endOverdue(
  context: Pick<Context, 'store' | 'bus' | 'log' | 'audit' | 'clock' | 'background'>,
  acceptance: Acceptance,
): Promise<AcceptanceOutcome | null> {
  if (!(await context.store.acceptances.end(acceptance.acceptanceId, 'timed_out')))
    return outcomeOf(context, acceptance)
  announceMissed(context, acceptance)
  return 'timed_out'
}

/** The wait for a maker is over: it hears so at once, also where that is not counted against it. */
export function announceMissed(
  context: Pick<Context, 'bus' | 'log' | 'audit' | 'clock' | 'background'>,
  { requestId, quoteId, makerId }: Acceptance,
): void {
  const { bus, log } = context
  log.info('confirmation_missed', { requestId, quoteId, makerId })
  record(context, requestId, { kind: 'missed', makerId, quoteId })
  context.background.run('miss_not_told', () => bus.publish('maker', makerId, { kind: 'missed', requestId, quoteId }))
}

/** What the store says of an acceptance, null while it is pending; one that it has forgotten is long over. */
async function outcomeOf(
  { store }: Pick<Context, 'store'>,
  { acceptanceId, quoteId }: Acceptance,
): Promise<AcceptanceOutcome | null> {
  const current = await store.acceptances.findByQuote(quoteId)
  if (current?.acceptanceId !== acceptanceId) return 'timed_out'
  return current.state === 'pending' ? null : current.state
}
