import type { QuoteRequest } from '@rfqctl/protocol/domain/request'
import { release } from './ask-maker.ts'
import { endOf, expireRequestAt, finishRequest, notifyQuoters } from './close-request.ts'
import { type Context, record } from './context.ts'
import { heldFor } from './find-request.ts'
import { forEachLimited } from './for-each-limited.ts'
import type { Acceptance, Quoter } from './ports/store.ts'
import { type Answer, endOverdue, waitForConfirmation } from './wait-for-confirmation.ts'

/** Requests reopened in parallel: there may be thousands, each a round trip to Redis. */
const OPENED_AT_ONCE = 50

/** Delay after a failed end of an acceptance, for instance while the store is down, milliseconds. */
const RETRY_MS = 1_000

/**
 * Announces open requests again: their quotes are gone, but their makers keep their quoteIds and misses, and a maker
 * that is asked to sign can do so until its deadline. Makers that quoted on a request which has ended since are
 * notified once. Also runs when the live market is lost later on.
 */
export async function start(context: Context): Promise<void> {
  const { store, book, seriesIndex } = context
  book.onEmptied(() => putBack(context))
  await Promise.all([context.blocks.recheck(), context.protections.recheck(), context.records.recheck()])
  await seriesIndex.refresh()
  const quoters = await store.quoters.list()
  const { open, standing, pending } = await openAgain(context, quoters)
  // Includes acceptances that were put back as held, even if the request has ended by expiry meanwhile.
  await forEachLimited(pending, OPENED_AT_ONCE, (acceptance) => takeUp(context, acceptance))
  await announceEnds(context, quoters, open)
  await forEachLimited(standing, OPENED_AT_ONCE, context.standingCommits.lookAgain)
}

/** Redis may be back without its last writes, and an ended request is open there again (fault I4). */
async function putBack(context: Context): Promise<void> {
  const { store, book } = context
  await openAgain(context, await store.quoters.list())
  const shown = (await book.openRequests()).map(({ request }) => request.requestId)
  // Read last: includes requests opened meanwhile, and leaves out those that ended while they were put back.
  const open = new Set((await store.requests.listOpen()).map(({ requestId }) => requestId))
  const doubtful = shown.filter((requestId) => !open.has(requestId))
  await forEachLimited(doubtful, OPENED_AT_ONCE, (requestId) => finishRequest(context, requestId))
}

/** Returns the ids of the requests that the store has open, those with a standing limit, and the pending acceptances. */
async function openAgain(context: Context, quoters: ReadonlyMap<string, readonly Quoter[]>) {
  const { store, book } = context
  const [requests, pending] = await Promise.all([store.requests.listOpen(), store.acceptances.pending()])
  const asked = new Map(pending.map((acceptance) => [acceptance.requestId, heldFor(acceptance)]))
  await forEachLimited(requests, OPENED_AT_ONCE, async (request: QuoteRequest) => {
    const { requestId, expiresAt } = request
    await book.open(request, { signing: asked.get(requestId) ?? null, quotedBy: quoters.get(requestId) ?? [] })
    record(context, requestId, { kind: 'reopened' })
    expireRequestAt(context, requestId, expiresAt)
  })
  const standing = requests.filter((request) => request.standing !== undefined).map(({ requestId }) => requestId)
  return { open: new Set(requests.map(({ requestId }) => requestId)), standing, pending }
}

/** Waits in the background; an overdue acceptance is a miss before any maker connects. */
async function takeUp(context: Context, acceptance: Acceptance): Promise<void> {
  // Nodes that share a store end overdue acceptances by themselves.
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

/** The store was down at the deadline: the quote is held until the store can decide. */
function letGoLater(context: Context, acceptance: Acceptance): void {
  const again = () => letGoLater(context, acceptance)
  context.clock.schedule(context.clock.now() + RETRY_MS, () => {
    endOverdue(context, acceptance)
      .then((outcome) => (outcome === null ? again() : letGo(context, acceptance, outcome)))
      .catch(again)
  })
}

/** A confirm has closed the request as well; an unconfirmed one may have expired. */
async function letGo(context: Context, acceptance: Acceptance, outcome: Answer): Promise<void> {
  if (outcome === 'confirmed') return
  const { requestId } = acceptance
  await release(context, requestId, { quote: acceptance, outcome })
  expireRequestAt(context, requestId, context.clock.now())
}

/** The process ended after these requests had, and before all their makers were notified. */
async function announceEnds(
  context: Context,
  quoters: ReadonlyMap<string, readonly Quoter[]>,
  open: ReadonlySet<string>,
): Promise<void> {
  const ended = [...quoters].filter(([requestId]) => !open.has(requestId))
  await forEachLimited(ended, OPENED_AT_ONCE, async ([requestId, quotedBy]) => {
    const stored = await context.store.requests.find(requestId)
    // A request that the store no longer remembers closed without a trade long ago.
    const status = stored === null || stored.status === 'open' ? 'expired' : stored.status
    await notifyQuoters(context, await endOf(context, requestId, status), quotedBy)
  })
}
