import { RfqError } from '@rfqctl/protocol/domain/errors'
import { signatureForms } from '@rfqctl/protocol/domain/signature'
import { announceTrade } from './announce-trade.ts'
import { type Context, record } from './context.ts'
import type { Acceptance, Execution } from './ports/store.ts'
import { inTrace } from './ports/tracer.ts'
import { type Claim, orderClaim } from './signature-checks.ts'
import { judgeSigned, MAX_TRIES, noteInsolvent } from './solvency.ts'
import { answerOf, endOverdue, waitForConfirmation } from './wait-for-confirmation.ts'

type Named = { makerId: string; quoteId: string }

/** A late signature is a live right to trade: it is refused before it is examined, and never kept (decision C8). */
export const confirm = (context: Context, { signature, ...named }: Named & { signature: string }): Promise<void> =>
  takeAnswer(context, 'confirm', named, (acceptance, receivedAt) =>
    takeSigned(context, acceptance, { signature, receivedAt }),
  )

/** Ends the wait, so that the next maker is asked at once. */
export const decline = (
  context: Context,
  { reason = null, ...named }: Named & { reason?: string | null },
): Promise<void> =>
  takeAnswer(context, 'decline', named, (acceptance, receivedAt) =>
    takeDecline(context, acceptance, { reason, receivedAt }),
  )

/** A maker whose answer meets a fault of the relay has not missed. */
async function takeAnswer(
  context: Context,
  name: 'confirm' | 'decline',
  { makerId, quoteId }: Named,
  work: (acceptance: Acceptance, receivedAt: number) => Promise<void>,
): Promise<void> {
  const { clock, store, records } = context
  const receivedAt = clock.now()
  const stop = records.answering(makerId, quoteId)
  try {
    const acceptance = await store.acceptances.findByQuote(quoteId)
    if (acceptance?.makerId !== makerId) throw new RfqError('no_pending_acceptance')
    const { traceparent, requestId, acceptanceId } = acceptance
    const facts = { requestId, makerId, quoteId, acceptanceId }
    await inTrace(context, name, { traceparent, facts }, () => work(acceptance, receivedAt))
  } catch (fault) {
    if (isFault(fault)) records.answered(quoteId)
    throw fault
  } finally {
    stop()
  }
}

/** A fault of the relay is not the maker's answer (invariant V12). */
const isFault = (fault: unknown): boolean =>
  !(fault instanceof RfqError) || ['store_unavailable', 'chain_unavailable', 'internal_error'].includes(fault.code)

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
  if (signed instanceof RfqError) throw noteBadSignature(context, acceptance, signed)
  context.records.answered(acceptance.quoteId)
  const execution = await settle(context, acceptance, { executionId: ids.uuid(), signature: signed.signature })
  if (execution !== null) return announceTrade(context, execution, waitedFor(context, acceptance))
  // Another confirm of the same signer may have come first, or the deadline.
  if ((await answerOf(context, acceptance)) !== 'confirmed') throw new RfqError('no_pending_acceptance')
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

async function takeDecline(
  context: Context,
  acceptance: Acceptance,
  { reason, receivedAt }: { reason: string | null; receivedAt: number },
): Promise<void> {
  const isEnded = acceptance.state === 'pending' && (await endDeclined(context, acceptance, reason))
  if (!isEnded) {
    // Only the relay was late: the maker declined and has not missed.
    const isDeclined = isDelayed(context, acceptance, receivedAt) && (await answerOf(context, acceptance)) === 'missed'
    if (!isDeclined) throw new RfqError('no_pending_acceptance')
    context.records.answered(acceptance.quoteId)
  }
  context.records.declined(acceptance, waitedFor(context, acceptance))
}

/** Also for a maker that may not sign. False if the acceptance has ended otherwise. */
export async function endDeclined(context: Context, acceptance: Acceptance, reason: string | null): Promise<boolean> {
  const { store, bus, log } = context
  const { acceptanceId, requestId, quoteId, makerId } = acceptance
  if (!(await store.acceptances.end(acceptanceId, 'declined'))) return false
  log.info('maker_declined', { quoteId, makerId })
  record(context, requestId, { kind: 'declined', makerId, quoteId, waitedMs: waitedFor(context, acceptance), reason })
  await bus.publish('acceptance', acceptanceId, 'declined')
  return true
}

/** The time that a maker took. Another node may have asked, whose clock is some milliseconds ahead. */
const waitedFor = ({ clock }: Pick<Context, 'clock'>, { createdAt }: Acceptance): number =>
  Math.max(0, clock.now() - createdAt)
