import type { QuoteRequest } from '@rfqctl/protocol/domain/request'
import { endOf, expireRequestAt, finishRequest, notifyQuoters } from './close-request.ts'
import type { Context } from './context.ts'
import { heldFor } from './find-request.ts'
import { forEachLimited } from './for-each-limited.ts'
import type { Acceptance, Quoter } from './ports/store.ts'
import { type AcceptanceOutcome, endOverdue, waitForConfirmation } from './wait-for-confirmation.ts'

/** Requests that are opened again at the same time: there may be thousands, each a way to Redis and back. */
const OPENED_AT_ONCE = 50

/** How soon an acceptance that could not be ended, because the store was down, is taken up again, in milliseconds. */
const RETRY_MS = 1_000

/**
 * Takes up what a former run left. Open requests are announced again: their quotes are gone, but their makers keep their
 * quoteIds and misses, and one that is asked to sign can do so until its deadline. Who quoted on a request that has ended
 * since is told, once. The same when the live market is lost later on.
 */
export async function start(context: Context): Promise<void> {
  const { store, book, seriesIndex } = context
  book.onEmptied(() => putBack(context))
  await Promise.all([context.blocks.recheck(), context.protections.recheck(), context.records.recheck()])
  await seriesIndex.refresh()
  const quoters = await store.quoters.list()
  const { open, pending } = await openAgain(context, quoters)
  // Those that were put back as held, also where the expiry of a request has ended one meanwhile.
  await forEachLimited(pending, OPENED_AT_ONCE, (acceptance) => takeUp(context, acceptance))
  await announceEnds(context, quoters, open)
}

/**
 * Makes the live market what the store says: Redis may have come back without its last writes, so that a request that has
 * ended is open there again (fault I4).
 */
async function putBack(context: Context): Promise<void> {
  const { store, book } = context
  await openAgain(context, await store.quoters.list())
  const shown = (await book.openRequests()).map(({ request }) => request.requestId)
  // Read last: one that was opened meanwhile is among them, one that ended while it was put back is not.
  const open = new Set((await store.requests.listOpen()).map(({ requestId }) => requestId))
  const doubtful = shown.filter((requestId) => !open.has(requestId))
  await forEachLimited(doubtful, OPENED_AT_ONCE, (requestId) => finishRequest(context, requestId))
}

/** Opens what the store says is open, and returns the ids of it and what is out for signature. */
async function openAgain(
  context: Context,
  quoters: ReadonlyMap<string, readonly Quoter[]>,
): Promise<{ open: ReadonlySet<string>; pending: readonly Acceptance[] }> {
  const { store, book } = context
  const [requests, pending] = await Promise.all([store.requests.listOpen(), store.acceptances.pending()])
  const asked = new Map(pending.map((acceptance) => [acceptance.requestId, heldFor(acceptance)]))
  await forEachLimited(requests, OPENED_AT_ONCE, async (request: QuoteRequest) => {
    const { requestId, expiresAt } = request
    await book.open(request, { signing: asked.get(requestId) ?? null, quotedBy: quoters.get(requestId) ?? [] })
    expireRequestAt(context, requestId, expiresAt)
  })
  return { open: new Set(requests.map(({ requestId }) => requestId)), pending }
}

/** Waits, behind the scenes, for a signature that was asked for; one that is overdue has been missed before anyone connects. */
async function takeUp(context: Context, acceptance: Acceptance): Promise<void> {
  // Several nodes that share a store reap what is overdue by themselves.
  const isOverdue = context.takeover === null && context.clock.now() >= acceptance.deadline
  const outcome = isOverdue ? await endOverdue(context, acceptance) : null
  if (outcome !== null) return letGo(context, acceptance, outcome)
  context.background.run('leftover_acceptance_failed', () => waitAndLetGo(context, acceptance))
}

async function waitAndLetGo(context: Context, acceptance: Acceptance): Promise<void> {
  try {
    const outcome = await waitForConfirmation(context, acceptance)
    if (context.takeover === null) await letGo(context, acceptance, outcome)
  } catch (fault) {
    if (context.takeover === null) letGoLater(context, acceptance)
    throw fault
  }
}

/** The store was down at the deadline: who was asked is held until it can say what became of it. */
function letGoLater(context: Context, acceptance: Acceptance): void {
  const again = () => letGoLater(context, acceptance)
  context.clock.schedule(context.clock.now() + RETRY_MS, () => {
    endOverdue(context, acceptance)
      .then((outcome) => (outcome === null ? again() : letGo(context, acceptance, outcome)))
      .catch(again)
  })
}

/** Whoever has confirmed has closed the request, too; of one that has not, the time may be over. */
async function letGo(context: Context, { requestId, quoteId }: Acceptance, outcome: AcceptanceOutcome): Promise<void> {
  if (outcome === 'confirmed') return
  await context.book.unlock(requestId, quoteId, 'missed')
  expireRequestAt(context, requestId, context.clock.now())
}

/** The process ended after these requests had, and before all who quoted were told. */
async function announceEnds(
  context: Pick<Context, 'store' | 'bus' | 'takeover'>,
  quoters: ReadonlyMap<string, readonly Quoter[]>,
  open: ReadonlySet<string>,
): Promise<void> {
  const ended = [...quoters].filter(([requestId]) => !open.has(requestId))
  await forEachLimited(ended, OPENED_AT_ONCE, async ([requestId, quotedBy]) => {
    const stored = await context.store.requests.find(requestId)
    // One that is not remembered any more closed without a trade long ago.
    const status = stored === null || stored.status === 'open' ? 'expired' : stored.status
    await notifyQuoters(context, await endOf(context, requestId, status), quotedBy)
  })
}
