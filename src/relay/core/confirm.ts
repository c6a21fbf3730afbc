import { RfqError } from '@rfqctl/protocol/domain/errors'
import { signatureForms } from '@rfqctl/protocol/domain/signature'
import { announceClosed, closeBook } from './close-request.ts'
import { type Context, record } from './context.ts'
import type { Acceptance, Execution } from './ports/store.ts'
import { inTrace } from './ports/tracer.ts'
import { type Claim, orderClaim } from './signature-checks.ts'
import { judgeSigned, MAX_TRIES, noteInsolvent } from './solvency.ts'
import { endOverdue, waitForConfirmation } from './wait-for-confirmation.ts'

/** A late signature is a live right to trade: it is refused before it is examined, and never kept (decision C8). */
export const confirm = (
  context: Context,
  input: { makerId: string; quoteId: string; signature: string },
): Promise<void> => excusing(context, input, () => takeSignature(context, input))

async function takeSignature(
  context: Context,
  { makerId, quoteId, signature }: { makerId: string; quoteId: string; signature: string },
): Promise<void> {
  const { clock } = context
  const receivedAt = clock.now()
  const acceptance = await findAsked(context, { makerId, quoteId })
  const { traceparent, requestId, acceptanceId } = acceptance
  return inTrace(context, 'confirm', { traceparent, facts: { requestId, makerId, quoteId, acceptanceId } }, () =>
    takeSigned(context, acceptance, { signature, receivedAt }),
  )
}

async function takeSigned(
  context: Context,
  acceptance: Acceptance,
  { signature, receivedAt }: { signature: string; receivedAt: number },
): Promise<void> {
  const { ids, clock } = context
  if (acceptance.state === 'confirmed') return assertSameSigner(context, acceptance, signature)
  if (isDelayed(context, acceptance, receivedAt)) await noteDelayed(context, acceptance, signature)
  if (acceptance.state !== 'pending') throw new RfqError('no_pending_acceptance')
  if (clock.now() >= acceptance.deadline) return assertWasInTime(context, acceptance, signature)
  const signed = await context.checks.find(claimOf(context, acceptance, signature), null)
  const { acceptanceId, quoteId } = acceptance
  if (signed instanceof RfqError) throw noteBadSignature(context, acceptance, signed)
  context.records.answered(quoteId)
  const execution = await settle(context, acceptance, { executionId: ids.uuid(), signature: signed.signature })
  if (execution === null) return assertAlreadyConfirmed(context, acceptanceId, quoteId)
  noteTrade(context, execution, clock.now() - acceptance.createdAt)
}

/** The maker's record is first. `waitedMs` is null if the maker signed beforehand. */
export function noteTrade(context: Context, execution: Execution, waitedMs: number | null): void {
  const { executionId, acceptance } = execution
  const { requestId, quoteId, makerId, order } = acceptance
  context.proven.noteConfirmed(makerId)
  context.log.info('maker_confirmed', { requestId, quoteId, makerId, durationMs: waitedMs ?? 0 })
  const told = { kind: 'confirmed', makerId, quoteId, executionId, waitedMs: waitedMs ?? 0 } as const
  record(context, requestId, waitedMs === null ? { ...told, order } : told)
  const noted = { kind: 'confirmed', requestId, quoteId } as const
  context.records.note(makerId, waitedMs === null ? noted : { ...noted, waitedMs })
  context.background.run('confirmation_not_told', () => announceTrade(context, execution))
}

function noteBadSignature(
  context: Pick<Context, 'audit' | 'clock' | 'records'>,
  { makerId, requestId, quoteId }: Acceptance,
  refusal: RfqError,
): RfqError {
  record(context, requestId, { kind: 'signature_refused', makerId, quoteId })
  context.records.note(makerId, { kind: 'bad_signature', requestId, quoteId })
  return refusal
}

/** The answer came in time, but the relay found its order too late. */
const isDelayed = ({ clock }: Pick<Context, 'clock'>, { deadline, state }: Acceptance, receivedAt: number): boolean =>
  state !== 'declined' && receivedAt < deadline && clock.now() >= deadline

/** The signature is not kept; its validity only decides whether the maker has missed. */
async function noteDelayed(context: Context, acceptance: Acceptance, signature: string): Promise<void> {
  const signed = await context.checks.find(claimOf(context, acceptance, signature), null)
  if (signed instanceof RfqError) throw noteBadSignature(context, acceptance, signed)
  context.records.answered(acceptance.quoteId)
}

/**
 * Null if the signature came too late. Unsigned orders of other makers on the same wallet did not count until now.
 * Orders they have signed since do: the wallet gets only the first of the orders that it cannot pay together, and the
 * next signature is refused, as its quote would have been.
 */
async function settle(
  context: Context,
  acceptance: Acceptance,
  signed: Pick<Execution, 'executionId' | 'signature'>,
): Promise<Execution | null> {
  const { acceptances } = context.store
  const { acceptanceId } = acceptance
  let outstandingVersion: number | null = null
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const execution = await acceptances.confirm(acceptanceId, signed, outstandingVersion)
    if (execution !== 'outdated') return execution
    const solvency = await judgeSigned(context, acceptance)
    if (solvency.shortfall !== null) {
      if (!(await endDeclined(context, acceptance, solvency.shortfall.message))) return null
      noteInsolvent(context, acceptance.quote, solvency)
      throw solvency.shortfall
    }
    // Without a chain nothing is judged, but another maker of the wallet may have signed all the same.
    const now = Math.floor(context.clock.now() / 1_000)
    outstandingVersion =
      solvency.outstandingVersion ?? (await acceptances.outstandingOf(acceptance.order.maker, now)).version
  }
  throw new RfqError('store_unavailable', { detail: 'What the wallet owes changes with every read.' })
}

/**
 * Runs after the trade is stored, so that no answer waits for it: wakes the taker's commit, closes the book, and
 * notifies everyone else after both answers have left. If a message fails, the commit and other nodes find the trade in
 * the store.
 */
async function announceTrade(context: Context, { acceptance }: Execution): Promise<void> {
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

const claimOf = (context: Pick<Context, 'digests' | 'chain'>, acceptance: Acceptance, text: string): Claim =>
  orderClaim(context, { order: acceptance.order, digest: context.digests.of(acceptance), text })

/**
 * After the deadline only an earlier confirm can have won, and it may still be being written: the store decides, so
 * that no maker gets a timeout and then a trade.
 */
async function assertWasInTime(context: Context, acceptance: Acceptance, signature: string): Promise<void> {
  const outcome = (await endOverdue(context, acceptance)) ?? (await waitForConfirmation(context, acceptance))
  if (outcome !== 'confirmed') throw new RfqError('no_pending_acceptance')
  return assertSameSigner(context, acceptance, signature)
}

/**
 * A repeated confirm succeeds for a caller that can sign again or has the accepted signature: a wallet's contract may
 * accept others by then.
 */
async function assertSameSigner(
  context: Pick<Context, 'chain' | 'checks' | 'digests' | 'store'>,
  acceptance: Acceptance,
  signature: string,
): Promise<void> {
  const claim = claimOf(context, acceptance, signature)
  if ((await context.checks.byKey(claim)) !== null) return
  const execution = await context.store.executions.findByRequest(acceptance.requestId)
  if (execution !== null && signatureForms(signature).includes(execution.signature)) return
  if ((await context.checks.byChain(claim, null)) instanceof RfqError) throw new RfqError('no_pending_acceptance')
}

/** Another confirm of the same signer may have come first, or the deadline. */
async function assertAlreadyConfirmed(
  { store }: Pick<Context, 'store'>,
  acceptanceId: string,
  quoteId: string,
): Promise<void> {
  const current = await store.acceptances.findByQuote(quoteId)
  if (current?.acceptanceId !== acceptanceId || current.state !== 'confirmed') {
    throw new RfqError('no_pending_acceptance')
  }
}

/** Ends the wait, so that the next maker is asked at once. */
export const decline = (
  context: Context,
  { makerId, quoteId, reason = null }: { makerId: string; quoteId: string; reason?: string | null },
): Promise<void> =>
  excusing(context, { makerId, quoteId }, async () => {
    const receivedAt = context.clock.now()
    const acceptance = await findAsked(context, { makerId, quoteId })
    const { traceparent, requestId, acceptanceId } = acceptance
    const facts = { requestId, makerId, quoteId, acceptanceId }
    await inTrace(context, 'decline', { traceparent, facts }, () =>
      takeDecline(context, acceptance, { reason, receivedAt }),
    )
  })

async function takeDecline(
  context: Context,
  acceptance: Acceptance,
  { reason, receivedAt }: { reason: string | null; receivedAt: number },
): Promise<void> {
  const isEnded = acceptance.state === 'pending' && (await endDeclined(context, acceptance, reason))
  if (!isEnded) {
    // Only the relay was late: the maker declined and has not missed.
    const isDeclined = isDelayed(context, acceptance, receivedAt) && (await hasTimedOut(context, acceptance))
    if (!isDeclined) throw new RfqError('no_pending_acceptance')
    context.records.answered(acceptance.quoteId)
  }
  const waitedMs = context.clock.now() - acceptance.createdAt
  context.background.run('decline_not_noted', () => noteDeclined(context, acceptance, waitedMs))
}

/**
 * Counts only if the maker saw the taker's wallet in the request: without it, a decline is the maker's first chance to
 * refuse that taker (invariant V12).
 */
async function noteDeclined(
  { store, records }: Pick<Context, 'store' | 'records'>,
  { makerId, requestId, quoteId }: Acceptance,
  waitedMs: number,
): Promise<void> {
  const wallet = (await store.requests.find(requestId))?.request.wallet ?? null
  if (wallet !== null) records.note(makerId, { kind: 'declined', requestId, quoteId, waitedMs })
}

async function hasTimedOut({ store }: Pick<Context, 'store'>, { acceptanceId, quoteId }: Acceptance): Promise<boolean> {
  const current = await store.acceptances.findByQuote(quoteId)
  return current?.acceptanceId === acceptanceId && current.state === 'timed_out'
}

async function findAsked(
  { store }: Pick<Context, 'store'>,
  { makerId, quoteId }: { makerId: string; quoteId: string },
): Promise<Acceptance> {
  const acceptance = await store.acceptances.findByQuote(quoteId)
  if (acceptance === null || acceptance.makerId !== makerId) throw new RfqError('no_pending_acceptance')
  return acceptance
}

/** A fault of the relay is not the maker's answer (invariant V12). */
const isFault = (fault: unknown): boolean =>
  !(fault instanceof RfqError) || ['store_unavailable', 'chain_unavailable', 'internal_error'].includes(fault.code)

/** A maker whose answer meets a fault of the relay has not missed. */
async function excusing(
  { records }: Pick<Context, 'records'>,
  { makerId, quoteId }: { makerId: string; quoteId: string },
  work: () => Promise<void>,
): Promise<void> {
  const stop = records.answering(makerId, quoteId)
  try {
    await work()
  } catch (fault) {
    if (isFault(fault)) records.answered(quoteId)
    throw fault
  } finally {
    stop()
  }
}

/** Also for a maker that may not sign. False if the acceptance has ended otherwise. */
export async function endDeclined(context: Context, acceptance: Acceptance, reason: string | null): Promise<boolean> {
  const { store, bus, clock, log } = context
  const { acceptanceId, requestId, quoteId, makerId, createdAt } = acceptance
  if (!(await store.acceptances.end(acceptanceId, 'declined'))) return false
  log.info('maker_declined', { quoteId, makerId })
  record(context, requestId, { kind: 'declined', makerId, quoteId, waitedMs: clock.now() - createdAt, reason })
  await bus.publish('acceptance', acceptanceId, 'declined')
  return true
}
