import type { Outcome } from '@rfqctl/protocol/domain/commit-machine'
import { type Context, record } from './context.ts'
import type { Acceptance } from './ports/store.ts'
import { POLL_INTERVAL_MS, waitFor } from './wait-for.ts'

/** The end of an order that its maker was asked to sign. */
export type Answer = Extract<Outcome, 'confirmed' | 'declined' | 'missed'>

/** Milliseconds until the next look at a deadline when the store's clock is behind the relay's. */
const RETRY_MS = 20

const STORE_RETRY_MS = 1_000

const ANSWERS = { pending: null, confirmed: 'confirmed', declined: 'declined', timed_out: 'missed' } as const

/** Exactly one of confirm and deadline wins, and the store decides (decision C8). */
export async function waitForConfirmation(context: Context, acceptance: Acceptance): Promise<Answer> {
  const { bus, clock } = context
  const { acceptanceId, deadline } = acceptance
  let wasOverdue = false
  try {
    return await waitFor<Answer>(clock, {
      listen: (end) => bus.subscribe('acceptance', acceptanceId, (state) => end(ANSWERS[state])),
      // An unreadable store does not end the wait: only the deadline does.
      poll: () => {
        wasOverdue = clock.now() >= deadline
        return wasOverdue ? endOverdue(context, acceptance) : answerOf(context, acceptance).catch(() => null)
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

/** The store's answer if the store refuses, null while the acceptance is pending there. */
export async function endOverdue(context: Context, acceptance: Acceptance): Promise<Answer | null> {
  if (!(await context.store.acceptances.end(acceptance.acceptanceId, 'timed_out'))) return answerOf(context, acceptance)
  announceMissed(context, acceptance)
  return 'missed'
}

/** The maker is notified at once, even if the miss does not count against it. */
export function announceMissed(context: Context, { requestId, quoteId, makerId }: Acceptance): void {
  const { bus, log } = context
  log.info('confirmation_missed', { requestId, quoteId, makerId })
  record(context, requestId, { kind: 'missed', makerId, quoteId })
  context.background.run('miss_not_told', () => bus.publish('maker', makerId, { kind: 'missed', requestId, quoteId }))
}

/** Null while pending; an acceptance that the store no longer remembers is long over. */
export async function answerOf(
  { store }: Pick<Context, 'store'>,
  { acceptanceId, quoteId }: Acceptance,
): Promise<Answer | null> {
  const current = await store.acceptances.findByQuote(quoteId)
  return current?.acceptanceId === acceptanceId ? ANSWERS[current.state] : 'missed'
}
