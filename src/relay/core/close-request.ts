import type { RejectReason } from '@rfqctl/protocol/domain/best-quote'
import { type LossFeedback, lossFeedback } from '@rfqctl/protocol/domain/best-quote'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { ClosedStatus } from '@rfqctl/protocol/domain/request'
import { type Context, record } from './context.ts'
import { assertTakerSecret, findRequest } from './find-request.ts'
import type { MakerMessage } from './ports/live.ts'
import type { Acceptance, Rejection } from './ports/store.ts'

/** `feedback` is set if the operator lets makers know it. */
type Quoter = { makerId: string; quoteId: string; feedback?: LossFeedback }

/** `winner` is null unless the request was committed. `isDisplaced`: the relay cancelled it to make room. */
type Ended = { requestId: string; status: ClosedStatus; winner: Acceptance | null; isDisplaced?: true }

const REJECT_REASONS: Record<ClosedStatus, RejectReason> = {
  committed: 'another_quote_won',
  expired: 'request_expired',
  cancelled: 'request_cancelled',
}

/**
 * The store decides, and comes first: a request that it has not closed is open again after a restart. `closed` for
 * exactly one caller; `locked` while a maker is asked to sign.
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

/** The store must know that the request is over. */
export async function endOf({ store }: Context, requestId: string, status: ClosedStatus): Promise<Ended> {
  const execution = status === 'committed' ? await store.executions.findByRequest(requestId) : null
  return { requestId, status, winner: execution === null ? null : execution.acceptance }
}

/**
 * Notifies makers, watchers and each maker that quoted. The store knows the end already. Only the call that closes the
 * book notifies, so a repeat changes nothing.
 */
export async function announceClose(context: Context, ended: Ended): Promise<'closed' | 'absent'> {
  const quotedBy = await closeBook(context, ended)
  if (quotedBy === null) return 'absent'
  await announceClosed(context, ended, quotedBy)
  return 'closed'
}

/** Returns every quote of the request to its one closer, else null. */
export async function closeBook({ book, clock, settings }: Context, { requestId, status, winner, isDisplaced }: Ended) {
  const { feedback: level } = settings
  // The book drops its quotes as it closes. Only the losers' feedback depends on them.
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

/** The same if the caller has closed the book. */
export async function announceClosed(context: Context, ended: Ended, quotedBy: readonly Quoter[]): Promise<void> {
  const { requestId, status, isDisplaced } = ended
  context.log.info('request_closed', { requestId, reason: isDisplaced ? 'displaced' : status })
  record(context, requestId, { kind: 'closed', status, ...(isDisplaced ? { isDisplaced } : {}) })
  await notifyQuoters(context, ended, quotedBy)
}

/**
 * Tells the winner at once, and the others after `feedbackDelayMs`, so that no loser trades on what it has just lost. A restart, or another
 * node where this one dies, tells them then. A repeat changes nothing for a maker that was told.
 */
export async function notifyQuoters(
  context: Context,
  ended: Ended,
  quotedBy: readonly Quoter[],
  delayMs = context.settings.feedbackDelayMs,
): Promise<void> {
  const { clock, background } = context
  const { winner } = ended
  // After a restart the book has lost the makers that quoted, but the store has the winner.
  const confirmed = winner === null ? null : context.bus.publish('maker', winner.makerId, confirmedBy(winner))
  const tell = () => tellLosers(context, ended, quotedBy)
  if (delayMs > 0) clock.schedule(clock.now() + delayMs, () => background.run('losers_not_told', tell))
  await Promise.all([confirmed, delayMs > 0 ? null : tell()])
}

async function tellLosers(
  { store, bus, takeover }: Pick<Context, 'store' | 'bus' | 'takeover'>,
  { requestId, status, winner }: Ended,
  quotedBy: readonly Quoter[],
): Promise<void> {
  const reason = REJECT_REASONS[status]
  const rejections: Rejection[] = []
  for (const { makerId, quoteId, feedback } of quotedBy) {
    if (makerId === winner?.makerId) continue
    const rejection = { makerId, requestId, quoteId, reason }
    rejections.push(feedback === undefined ? rejection : { ...rejection, feedback })
  }
  store.history.reject(requestId, rejections)
  await bus.reject(rejections)
  takeover?.announced(requestId)
}

/** A maker that was not asked gets its order here. */
const confirmedBy = ({ requestId, quoteId, quote, order }: Acceptance): MakerMessage => ({
  kind: 'confirmed',
  requestId,
  quoteId,
  ...(quote.isFirm === true ? { order } : {}),
})

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

/** Lease terms that differ from any commit's, so that a concurrent commit gets `commit_in_progress`. */
const DISPLACING = 'displacing'

/** Makes room for another request. `locked` while a commit of it runs, on any node (protocol open-4). */
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

/** Delay after a deadline until the expiry looks again at a running confirmation, milliseconds. */
const RECHECK_MS = 50

/** Delay after a failed expiry, for instance while the store is down, milliseconds. */
const RETRY_MS = 1_000

/** Sets the timer again until the store has taken the end. */
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

/** After a commit, ends the request if it expired meanwhile or the store says that it has ended. */
export async function finishRequest(context: Context, requestId: string): Promise<void> {
  const stored = await context.store.requests.find(requestId)
  if (stored === null || stored.status === 'open') return expireRequest(context, requestId)
  await announceClose(context, await endOf(context, requestId, stored.status))
}

/** A running confirmation may finish first (decision C6): the store knows of it even if the book was lost. */
async function expireRequest(context: Context, requestId: string): Promise<void> {
  const { book, clock, store } = context
  // One that was never opened in the book may be in the store: the call that stored it may have failed.
  const known = (await book.find(requestId)) ?? (await store.requests.find(requestId))
  if (known === null || known.status !== 'open' || clock.now() < known.request.expiresAt) return
  const active = await store.acceptances.findActive(requestId)
  if (active?.state === 'pending') {
    // Ends an acceptance whose commit could not, because the store was down.
    if (clock.now() >= active.deadline) await store.acceptances.end(active.acceptanceId, 'timed_out')
    expireRequestAt(context, requestId, Math.max(active.deadline, clock.now()) + RECHECK_MS)
    return
  }
  // A commit that holds a quote without a stored acceptance calls this itself when it ends.
  await closeRequest(context, { requestId, status: 'expired' })
}
