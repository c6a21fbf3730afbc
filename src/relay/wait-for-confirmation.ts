import { type Context, record } from './context.ts'
import type { Acceptance } from './ports/store.ts'

/** How a pending acceptance ended. */
export type AcceptanceOutcome = 'confirmed' | 'declined' | 'timed_out'

/** How often the store is looked at meanwhile: the message that another node has the confirmation may be lost. */
const LOOK_MS = 500

/** How soon a deadline is looked at again when the store's clock is behind ours. */
const RETRY_MS = 20

/** How soon a store that failed is tried again. */
const STORE_RETRY_MS = 1_000

/**
 * The one wait of the relay: until the maker confirms or declines, or the deadline passes. Exactly one of confirm and
 * deadline wins, and the store is the judge (ruling C8).
 */
export function waitForConfirmation(context: Context, acceptance: Acceptance): Promise<AcceptanceOutcome> {
  const { bus, clock } = context
  const { acceptanceId } = acceptance
  return new Promise((resolve, reject) => {
    let stopTimer = () => {}
    let isSettled = false
    const stopListening = bus.subscribe('acceptance', acceptanceId, (outcome) => settle(() => resolve(outcome)))
    const settle = (finish: () => void) => {
      isSettled = true
      stopListening()
      stopTimer()
      finish()
    }
    const judge = async () => {
      const outcome = await endOverdue(context, acceptance)
      if (outcome === 'pending') armAt(clock.now() + RETRY_MS)
      else settle(() => resolve(outcome))
    }
    /** A store that cannot be read now does not end the wait: only the deadline does. */
    const look = async () => {
      const outcome = await stateOf(context, acceptance).catch(() => 'pending' as const)
      if (outcome === 'pending') armNext()
      else settle(() => resolve(outcome))
    }
    const armAt = (at: number) => {
      if (isSettled) return
      stopTimer = clock.schedule(at, () =>
        judge().catch((fault) => {
          settle(() => reject(fault))
          endLater(context, acceptance)
        }),
      )
    }
    const armNext = () => {
      const next = clock.now() + LOOK_MS
      if (next >= acceptance.deadline) armAt(acceptance.deadline)
      else if (!isSettled) stopTimer = clock.schedule(next, () => void look())
    }
    armNext()
  })
}

/** Ends an overdue acceptance once the store can be written again; until then its request takes no other commit. */
function endLater(context: Context, acceptance: Acceptance): void {
  const { clock } = context
  clock.schedule(clock.now() + STORE_RETRY_MS, () => {
    endOverdue(context, acceptance).catch(() => endLater(context, acceptance))
  })
}

/** Times an overdue acceptance out; when the store says no, what it says instead. */
async function endOverdue(context: Context, acceptance: Acceptance): Promise<AcceptanceOutcome | 'pending'> {
  const { store, log } = context
  const { acceptanceId, requestId, quoteId, makerId } = acceptance
  if (await store.acceptances.end(acceptanceId, 'timed_out')) {
    log.info('confirmation_missed', { quoteId, makerId })
    record(context, requestId, { kind: 'missed', makerId, quoteId })
    return 'timed_out'
  }
  return stateOf(context, acceptance)
}

/** What the store says of an acceptance; one that it has forgotten is long over. */
async function stateOf(
  { store }: Context,
  { acceptanceId, quoteId }: Acceptance,
): Promise<AcceptanceOutcome | 'pending'> {
  const current = await store.acceptances.findByQuote(quoteId)
  return current?.acceptanceId === acceptanceId ? current.state : 'timed_out'
}
