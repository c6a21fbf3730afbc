import type { RejectReason } from '@rfqctl/protocol/domain/best-quote'
import { type LossFeedback, lossFeedback } from '@rfqctl/protocol/domain/best-quote'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { ClosedStatus } from '@rfqctl/protocol/domain/request'
import { type Context, record } from './context.ts'
import { assertTakerSecret, findRequest } from './find-request.ts'
import type { MakerMessage } from './ports/live.ts'
import type { Acceptance } from './ports/store.ts'

/** A maker that quoted, and how its quote stood beside the winner where that is told. */
type Quoter = { makerId: string; quoteId: string; feedback?: LossFeedback }

/** How a request ended; `winner` is null unless it was committed. `isDisplaced`: the relay cancelled it to make room. */
type Ended = { requestId: string; status: ClosedStatus; winner: Acceptance | null; isDisplaced?: true }

const REJECT_REASONS: Record<ClosedStatus, RejectReason> = {
  committed: 'another_quote_won',
  expired: 'request_expired',
  cancelled: 'request_cancelled',
}

/**
 * Ends a request that no one committed. The store is the judge, and comes first: what it has not closed is open again
 * after a restart. `closed` for exactly one caller; `locked` while a maker is asked to sign.
 */
async function closeRequest(
  context: Context,
  { requestId, status, isDisplaced }: Pick<Ended, 'requestId' | 'isDisplaced'> & { status: 'expired' | 'cancelled' },
): Promise<'closed' | 'locked' | 'absent'> {
  const { book, store } = context
  const live = await book.find(requestId)
  if (live !== null && live.signing !== null) return 'locked'
  const isCloser = await store.requests.close(requestId, status)
  const stored = isCloser ? null : await store.requests.find(requestId)
  if (stored?.status === 'open') return 'locked'
  const ended = await endOf(context, requestId, stored?.status ?? status)
  await announceClose(context, isCloser && isDisplaced ? { ...ended, isDisplaced } : ended)
  return isCloser ? 'closed' : 'absent'
}

/** How a request ended that the store knows to be over. */
export async function endOf(
  { store }: Pick<Context, 'store'>,
  requestId: string,
  status: ClosedStatus,
): Promise<Ended> {
  const execution = status === 'committed' ? await store.executions.findByRequest(requestId) : null
  return { requestId, status, winner: execution === null ? null : execution.acceptance }
}

/**
 * Makes the end of a request, which the store knows already, known to everyone: makers, watchers, and each maker that
 * quoted what became of its quote. Whoever closes the book tells; repeating it changes nothing.
 */
export async function announceClose(context: Context, ended: Ended): Promise<'closed' | 'absent'> {
  const quotedBy = await closeBook(context, ended)
  if (quotedBy === null) return 'absent'
  await announceClosed(context, ended, quotedBy)
  return 'closed'
}

/** Closes the book of a request that has ended: all that ever quoted on it, for its one closer, else null. */
export async function closeBook(
  { book, clock, settings }: Pick<Context, 'book' | 'clock' | 'settings'>,
  { requestId, status, winner, isDisplaced }: Ended,
): Promise<readonly Quoter[] | null> {
  const { feedback: level } = settings
  // The book forgets its quotes as it closes. Nothing but what losers are told depends on them.
  const ranked = level === 'off' || winner === null ? [] : await book.ranked(requestId)
  const result = await book.close(requestId, status, isDisplaced)
  if (result.kind !== 'closed') return null
  if (level === 'off' || winner === null) return result.quotedBy
  const { quote, order } = winner
  const losses = lossFeedback(ranked, { winner: quote, taker: order.taker, now: clock.now(), level })
  return result.quotedBy.map((quoter) => {
    const feedback = losses.get(quoter.quoteId)
    return feedback === undefined ? quoter : { ...quoter, feedback }
  })
}

/** The same for a request whose book the caller has closed. */
export async function announceClosed(context: Context, ended: Ended, quotedBy: readonly Quoter[]): Promise<void> {
  const { requestId, status, isDisplaced } = ended
  context.log.info('request_closed', { requestId, reason: isDisplaced ? 'displaced' : status })
  record(context, requestId, { kind: 'closed', status, ...(isDisplaced ? { isDisplaced } : {}) })
  await notifyQuoters(context, ended, quotedBy)
}

/** Tells each maker that quoted what became of its quote. Telling it again changes nothing for one that was told. */
export async function notifyQuoters(
  { store, bus, takeover }: Pick<Context, 'store' | 'bus' | 'takeover'>,
  { requestId, status, winner }: Ended,
  quotedBy: readonly Quoter[],
): Promise<void> {
  const reason = REJECT_REASONS[status]
  const losers = quotedBy.filter(({ makerId }) => makerId !== winner?.makerId)
  const rejections = losers.map((loser) => ({ ...loser, requestId, reason }))
  store.history.reject(requestId, rejections)
  const messages: [makerId: string, message: MakerMessage][] = rejections.map(({ makerId, ...rejection }) => [
    makerId,
    { kind: 'rejected', ...rejection },
  ])
  // After a restart the book has forgotten who quoted, but the winner is known from the store.
  if (winner !== null) messages.unshift([winner.makerId, confirmedBy(winner)])
  await Promise.all(messages.map(([makerId, message]) => bus.publish('maker', makerId, message)))
  takeover?.announced(requestId)
}

/** A maker that was not asked is told what it has traded. */
const confirmedBy = ({ requestId, quoteId, quote, order }: Acceptance): MakerMessage => ({
  kind: 'confirmed',
  requestId,
  quoteId,
  ...(quote.isFirm === true ? { order } : {}),
})

/** Ends a request on behalf of its taker. */
export async function cancelRequest(
  context: Context,
  { requestId, takerSecret }: { requestId: string; takerSecret: string | null },
): Promise<void> {
  const { request, status } = await findRequest(context, requestId)
  assertTakerSecret(context, request, takerSecret)
  if (status !== 'open') throw new RfqError('request_closed')
  const result = await closeRequest(context, { requestId, status: 'cancelled' })
  if (result === 'locked') throw new RfqError('commit_in_progress')
  if (result === 'absent') throw new RfqError('request_closed')
}

/** What a commit that comes meanwhile is told to wait for: no terms of its own are like these. */
const DISPLACING = 'displacing'

/** Cancels an open request to make room for another one. `locked` while a commit of it runs, on any node (protocol open-4). */
export async function displaceRequest(context: Context, requestId: string): Promise<'closed' | 'locked' | 'absent'> {
  const lease = await context.leases.begin(requestId, DISPLACING, null)
  if (lease.kind !== 'begun') return 'locked'
  try {
    return await closeRequest(context, { requestId, status: 'cancelled', isDisplaced: true })
  } finally {
    const { code, message: detail, data } = new RfqError('request_closed')
    context.background.run('lease_not_ended', () => lease.end({ kind: 'refused', code, detail, data }))
  }
}

/** How long after a deadline the expiry looks again whether a confirmation was still running. */
const RECHECK_MS = 50

/** How soon an expiry that failed, for instance because the store was down, is tried again. */
const RETRY_MS = 1_000

/** Sets the timer that ends a request, and sets it again until the store has taken it. */
export function expireRequestAt(context: Context, requestId: string, at: number): void {
  context.clock.schedule(at, () =>
    context.background.run('expire_failed', async () => {
      try {
        await expireRequest(context, requestId)
      } catch (fault) {
        expireRequestAt(context, requestId, context.clock.now() + RETRY_MS)
        throw fault
      }
    }),
  )
}

/** After a commit: the request ends if its time came meanwhile, or if the store says that it has ended. */
export async function finishRequest(context: Context, requestId: string): Promise<void> {
  const stored = await context.store.requests.find(requestId)
  if (stored === null || stored.status === 'open') return expireRequest(context, requestId)
  await announceClose(context, await endOf(context, requestId, stored.status))
}

/**
 * Ends an open request whose time has come. A confirmation that runs may finish first (decision C6): the store knows of
 * it even when the book was lost.
 */
async function expireRequest(context: Context, requestId: string): Promise<void> {
  const { book, clock, store } = context
  const live = await book.find(requestId)
  if (live === null || live.status !== 'open' || clock.now() < live.request.expiresAt) return
  const active = await store.acceptances.findActive(requestId)
  if (active?.state === 'pending') {
    // One whose commit could not end it, because the store was down, is ended here.
    if (clock.now() >= active.deadline) await store.acceptances.end(active.acceptanceId, 'timed_out')
    expireRequestAt(context, requestId, Math.max(active.deadline, clock.now()) + RECHECK_MS)
    return
  }
  // A commit that holds a quote, and has not stored its acceptance yet, comes here itself when it ends.
  await closeRequest(context, { requestId, status: 'expired' })
}
