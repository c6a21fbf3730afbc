import {
  type Candidate,
  type CandidateOutcome,
  type CommitTerms,
  commitKey,
  isWithin,
  MAX_CANDIDATES_NAMED,
  nextCandidate,
} from '@rfqctl/protocol/domain/commit'
import { usd6ToNumber, usdText } from '@rfqctl/protocol/domain/decimal'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import { isPackage } from '@rfqctl/protocol/domain/option'
import { isFillable, type TakerApproval, takerApproval } from '@rfqctl/protocol/domain/order'
import { expirySecond, type QuoteRequest } from '@rfqctl/protocol/domain/request'
import { ONE_USD } from '@rfqctl/protocol/domain/units'
import { type AskTerms, askMaker, type MakerAnswer, missedBy } from './ask-maker.ts'
import { finishRequest } from './close-request.ts'
import { checkProof } from './commit-proof.ts'
import { type Context, record } from './context.ts'
import { assertUnlocked, findRequest } from './find-request.ts'
import type { LiveRequest } from './ports/book.ts'
import type { CommitLease, CommitOutcome } from './ports/live.ts'
import type { Execution } from './ports/store.ts'
import { inTrace, within } from './ports/tracer.ts'
import { resultOfHeld } from './recovery.ts'
import { wantsProof } from './solvency.ts'
import { assertTradable, assertWallet } from './tradable.ts'
import { POLL_INTERVAL_MS, waitFor } from './wait-for.ts'
import { waitForConfirmation } from './wait-for-confirmation.ts'

export type Commitment = {
  mode: 'onchain' | 'simulated'
  execution: Execution
  approval: TakerApproval
}

export type CommitInput = {
  requestId: string
  terms: CommitTerms
  takerSecret: string | null
  /** The wallet's signature of the commit; absent or null: the wallet is not shown to be the taker's. */
  proof?: string | null
  clientAddress?: string | null
  traceparent?: string | null
}
type Begun = Extract<CommitLease, { kind: 'begun' }>

type Committer = Pick<AskTerms, 'isProven' | 'clientAddress'>

type CommitRun = Committer & { terms: CommitTerms; lease: Begun }

/**
 * Bounds a commit's reads of the book. A quote that moves before it can be held, or whose wallet can no longer pay,
 * costs a read each and could keep it running forever; honest makers take a handful.
 */
const MAX_ROUNDS = 100

/**
 * Asks makers in the order of their quotes, the best first, until one signs. Idempotent and resumable: the same terms
 * join a running commit, and get the same order afterwards until it ends (decisions C1 to C4).
 */
export async function commit(context: Context, input: CommitInput): Promise<Commitment> {
  const { requestId, traceparent: link = null } = input
  assertWallet(context, 'wallet', input.terms.wallet)
  const { request, status } = await findRequest(context, requestId)
  const { traceparent } = request
  return inTrace(context, 'commit', { traceparent, link, facts: { requestId } }, (step) =>
    commitTo(context, { request: within(request, step), status }, input),
  )
}

async function commitTo(
  context: Context,
  { request, status }: Pick<LiveRequest, 'request' | 'status'>,
  { requestId, terms, takerSecret, proof = null, clientAddress = null }: CommitInput,
): Promise<Commitment> {
  assertLimit(request, terms)
  assertUnlocked(context, request, takerSecret)
  if (status === 'cancelled') throw new RfqError('request_closed')
  // Refusals that cost nothing come first: a proof may ask the chain.
  const isCommitted = status === 'committed'
  if (!isCommitted && request.wallet !== null && request.wallet !== terms.wallet) throw new RfqError('wallet_mismatch')
  const isProven = await checkProof(context, { ...terms, requestId: request.requestId }, { proof, clientAddress })
  if (isCommitted) return resume(context, requestId, terms)
  return runExclusively(context, request, terms, { isProven, clientAddress })
}

/** No option is worth more than a dollar, so a higher limit is a price in cents (protocol commit-1). */
function assertLimit({ option }: QuoteRequest, { limitPrice }: CommitTerms): void {
  if (isPackage(option) || limitPrice === null || limitPrice <= ONE_USD) return
  const detail = `limitPrice must be a number of dollars 0..1, got ${usd6ToNumber(limitPrice)}`
  throw new RfqError('invalid_request', { detail })
}

/**
 * If a commit runs, here or on another node, waits for its end; takes its place if its node is gone, or if it was
 * refused for want of a proof that this call has.
 */
async function runExclusively(
  context: Context,
  request: QuoteRequest,
  terms: CommitTerms,
  committer: Committer,
): Promise<Commitment> {
  const { requestId } = request
  const key = commitKey(terms)
  let waitingFor: string | null = null
  for (;;) {
    const lease = await context.leases.begin(requestId, key, waitingFor)
    if (lease.kind === 'begun')
      return concluding(context, lease, () => runCommit(context, request, { ...committer, terms, lease }))
    if (lease.kind === 'ended' && lease.outcome.kind === 'refused') {
      const { code, detail, data } = lease.outcome
      if (committer.isProven && wantsProof(lease.outcome)) {
        waitingFor = null
        continue
      }
      throw new RfqError(code, { detail, data })
    }
    if (lease.kind === 'ended') return resumeClosed(context, requestId, terms)
    if (lease.terms !== key) throw new RfqError('commit_in_progress')
    waitingFor = lease.leaseId
    if ((await waitForTurn(context, requestId, waitingFor)) === 'committed')
      return resumeClosed(context, requestId, terms)
  }
}

/** Also ends when the request is committed: the maker may sign after the commit's node is gone. */
function waitForTurn(
  { leases, store, clock }: Pick<Context, 'leases' | 'store' | 'clock'>,
  requestId: string,
  leaseId: string,
) {
  return waitFor<'over' | 'committed'>(clock, {
    listen: (end) => leases.onEnd(leaseId, () => end('over')),
    poll: async () => {
      if ((await store.requests.find(requestId))?.status === 'committed') return 'committed'
      return (await leases.isRunning(requestId)) ? null : 'over'
    },
    nextPoll: () => clock.now() + POLL_INTERVAL_MS,
  })
}

async function concluding(
  context: Pick<Context, 'background'>,
  lease: Begun,
  work: () => Promise<Commitment>,
): Promise<Commitment> {
  const end = (outcome: CommitOutcome) => context.background.run('lease_not_ended', () => lease.end(outcome))
  try {
    const commitment = await work()
    end({ kind: 'committed' })
    return commitment
  } catch (fault) {
    const { code, message, data } = fault instanceof RfqError ? fault : new RfqError('internal_error')
    end({ kind: 'refused', code, detail: message, data })
    throw fault
  }
}

async function runCommit(context: Context, request: QuoteRequest, run: CommitRun): Promise<Commitment> {
  const { requestId } = request
  const { terms } = run
  record(context, requestId, { kind: 'commit_started', terms })
  try {
    const candidates: Candidate[] = []
    const taken = await takeUpPending(context, request, terms, candidates)
    return taken ?? (await tryCandidates(context, request, run, candidates))
  } catch (fault) {
    if (fault instanceof RfqError) record(context, requestId, { kind: 'commit_refused', code: fault.code })
    // The request may have expired meanwhile. A committed request is ended by the call that took the confirmation.
    context.background.run('finish_failed', () => finishRequest(context, requestId))
    throw fault
  }
}

/**
 * Asks each candidate once (decision C4), and names them all if no one signs. No quote outlives its request, so none is
 * found after `expiresAt` (decision C6).
 */
async function tryCandidates(
  context: Context,
  request: QuoteRequest,
  { terms, lease: { isOwner }, ...committer }: CommitRun,
  candidates: Candidate[],
): Promise<Commitment> {
  const { requestId } = request
  const considered = new Set(candidates.map(({ makerId }) => makerId))
  const { maxCandidates, makerConfirmationMs, unprovenConfirmationMs, unprovenCandidates } = context.settings
  const hurriedMs = Math.min(unprovenConfirmationMs, makerConfirmationMs)
  // The last place is for a proven maker.
  const mostHurried = Math.min(unprovenCandidates, maxCandidates - 1)
  let asked = 0
  let hurried = 0
  let isAnyProtected = false
  let isProofAsked = false
  let shortfall: RfqError | null = null
  for (let round = 0; round < MAX_ROUNDS && asked < maxCandidates; round += 1) {
    const [isStillOwner, ranked] = await Promise.all([isOwner(), context.book.ranked(requestId)])
    if (!isStillOwner) throw new RfqError('commit_in_progress')
    const step = nextCandidate({
      request,
      ranked,
      terms,
      considered,
      proven: await context.proven.among(ranked.map(({ makerId }) => makerId)),
      hurriedLeft: Math.min(mostHurried - hurried, context.patience.left()),
      now: context.clock.now(),
    })
    if (step.kind === 'none') {
      if (considered.size > 0) break
      // This only explains the refusal, and anyone may repeat it at will: a cached read will do.
      await assertTradable(context, request, 'cached')
      throw new RfqError(step.reason)
    }
    const confirmationMs = step.isHurried ? hurriedMs : makerConfirmationMs
    const answer = await askMaker(context, request, step.quote, { ...committer, taker: terms.wallet, confirmationMs })
    if (answer.kind === 'confirmed') return commitmentOf(context, answer.execution, terms)
    if (answer.kind === 'closed') throw new RfqError('request_closed')
    if (answer.kind === 'changed') continue
    const { makerId, quoteId } = step.quote
    considered.add(makerId)
    candidates.push({ makerId, quoteId, outcome: outcomeOf(answer) })
    if (answer.kind === 'missed') asked += 1
    if (answer.kind === 'missed' && step.isHurried) {
      hurried += 1
      context.patience.noteMissed()
    }
    if (answer.kind === 'insolvent' || answer.kind === 'capped') shortfall ??= answer.shortfall
    if (answer.kind === 'protected') isAnyProtected = true
    if (answer.kind === 'unproven') isProofAsked = true
  }
  // `proof_required` comes first: the one refusal that the taker can fix alone.
  const named = { candidates: candidates.slice(0, MAX_CANDIDATES_NAMED) }
  if (asked === 0 && isProofAsked) throw new RfqError('proof_required', { detail: SHARE_TAKEN, data: named })
  if (asked === 0 && shortfall !== null) {
    const { code, message: detail, data } = shortfall
    throw new RfqError(code, { detail, data: { ...data, ...named } })
  }
  if (asked === 0 && isAnyProtected) throw new RfqError('no_valid_quotes', { data: named })
  throw new RfqError('no_maker_confirmed', { data: named })
}

/** A taker does not learn why a maker was held back. */
function outcomeOf(answer: Exclude<MakerAnswer, { kind: 'confirmed' | 'closed' | 'changed' }>): CandidateOutcome {
  if (answer.kind === 'missed') return answer.outcome
  return OUTCOMES[answer.kind]
}

const OUTCOMES = {
  insolvent: 'insolvent',
  capped: 'too_large',
  protected: 'withdrawn',
  unproven: 'unproven',
} as const

const SHARE_TAKEN =
  "The commit does not show that the wallet is its taker's, and commits that do not have their share of the makers already."

/**
 * A confirmation that already runs, from before a restart or on another node: the taker waits for it. A maker that does
 * not confirm counts as asked in this call.
 */
async function takeUpPending(
  context: Context,
  { requestId }: QuoteRequest,
  terms: CommitTerms,
  candidates: Candidate[],
): Promise<Commitment | null> {
  const { book, store } = context
  const [active, live] = await Promise.all([store.acceptances.findActive(requestId), book.find(requestId)])
  if (active !== null) {
    if (active.order.taker !== terms.wallet) throw new RfqError('commit_in_progress')
    const outcome = active.state === 'confirmed' ? 'confirmed' : await waitForConfirmation(context, active)
    if (outcome === 'confirmed') return resumeClosed(context, requestId, terms)
    candidates.push({ makerId: active.makerId, quoteId: active.quoteId, outcome: missedBy(outcome) })
  }
  // No other commit of this request runs, so the holder of a quote is gone, or has just ended its acceptance.
  const held = live?.signing ?? null
  if (held !== null)
    await book.unlock(requestId, held.quoteId, active === null ? await resultOfHeld(context, held) : 'missed')
  return null
}

/**
 * The order of another call. Closes the book first: that call may have failed before it did, and have released the
 * quote whose hold says that the request may be over (invariant V10).
 */
async function resumeClosed(context: Context, requestId: string, terms: CommitTerms): Promise<Commitment> {
  await finishRequest(context, requestId)
  return resume(context, requestId, terms)
}

/** Only for the wallet that the order names, and while it can be filled (decision C3). */
async function resume(
  context: Pick<Context, 'store' | 'chain'>,
  requestId: string,
  terms: CommitTerms,
): Promise<Commitment> {
  const execution = await context.store.executions.findByRequest(requestId)
  if (execution === null || execution.acceptance.order.taker !== terms.wallet) throw new RfqError('already_committed')
  const { order, option } = execution.acceptance
  if (!isFillable(order, expirySecond(option.expiryMs), await context.chain.time('latest'))) {
    throw new RfqError('already_committed')
  }
  return commitmentOf(context, execution, terms)
}

/**
 * Applies to every order, also one from a joined or earlier commit, perhaps of another caller: an order outside this
 * call's protections is never returned as its result.
 */
function commitmentOf({ chain }: Pick<Context, 'chain'>, execution: Execution, terms: CommitTerms): Commitment {
  const { order, option, quote, fromInventory } = execution.acceptance
  const { quoteId, price } = quote
  if (!isWithin(quote.side, { ...quote, contracts: order.optionAmount }, terms)) {
    throw new RfqError('already_committed', {
      detail: `The request is already committed: ${order.optionAmount} options at ${usdText(price)}, outside the protections of this commit.`,
      data: { quoteId, price: usd6ToNumber(price), fillContracts: Number(order.optionAmount) },
    })
  }
  return { mode: chain.mode, execution, approval: takerApproval(order, option, fromInventory) }
}
