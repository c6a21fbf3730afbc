import { assertLimit, type CommitTerms, commitKey, committed, rankedOn } from '@rfqctl/protocol/domain/commit'
import {
  COMMIT_BEGUN,
  type CommitEnd,
  type CommitRules,
  countsAsMiss,
  failCommit,
  hurriedLeftOf,
  type Stage,
  type StateAt,
  stepCommit,
} from '@rfqctl/protocol/domain/commit-machine'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import { type OneSided, type QuoteRequest, walletOf } from '@rfqctl/protocol/domain/request'
import {
  ask,
  awaitAnswer,
  type Committer,
  type Events,
  hold,
  type Judged,
  judge,
  release,
  type State,
  storeOrder,
  takeFirm,
} from './ask-maker.ts'
import { finishRequest } from './close-request.ts'
import { checkProof } from './commit-proof.ts'
import { type CommitTurn, inTurn } from './commit-turn.ts'
import { type Commitment, commitmentOf, resume, resumeClosed } from './commitment.ts'
import { type Context, record } from './context.ts'
import { assertUnlocked, findRequest } from './find-request.ts'
import type { BookLook, LiveRequest } from './ports/book.ts'
import type { RelaySettings } from './ports/ports.ts'
import type { Acceptance, Execution } from './ports/store.ts'
import { inTrace, within } from './ports/tracer.ts'
import { findLeft } from './recovery.ts'
import { assertTradable, assertWallet } from './tradable.ts'

export type CommitInput = {
  requestId: string
  terms: CommitTerms
  takerSecret: string | null
  /** The wallet's signature of the commit; absent or null: the wallet is not shown to be the taker's. */
  proof?: string | null
  clientAddress?: string | null
  traceparent?: string | null
  /** The request itself asks for it, and needs no secret; called as its own commit begins, not where it joins another. */
  standing?: { onTurn: () => void }
}

/** A commit of a request that has its turn. */
type Run = {
  request: OneSided<QuoteRequest>
  terms: CommitTerms
  committer: Committer
  turn: CommitTurn
  /** QuoteIds that were absent at the last look. */
  absent: Set<string>
}

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
  { request: asked, status }: Pick<LiveRequest, 'request' | 'status'>,
  { requestId, terms, takerSecret, proof = null, clientAddress = null, standing }: CommitInput,
): Promise<Commitment> {
  if (standing === undefined) assertUnlocked(context, asked, takerSecret)
  const request = committed(asked, terms)
  assertLimit(request.option, terms)
  if (status === 'cancelled') throw new RfqError('request_closed')
  // Refusals that cost nothing come first: a proof may ask the chain.
  const isCommitted = status === 'committed'
  const named = walletOf(request)
  if (!isCommitted && named !== null && named !== terms.wallet) throw new RfqError('wallet_mismatch')
  const isProven = await checkProof(context, { ...terms, requestId: request.requestId }, { proof, clientAddress })
  if (isCommitted) return resume(context, requestId, terms)
  const committer = { taker: terms.wallet, isProven, clientAddress }
  const commitment = await inTurn(context, { requestId, key: commitKey(terms), isProven }, (turn) => {
    standing?.onTurn()
    return runCommit(context, { request, terms, committer, turn, absent: new Set() })
  })
  return commitment === 'committed' ? resumeClosed(context, requestId, terms) : commitment
}

/** Carries out the effect of each state (`domain/commit-machine.ts`), until the commit has ended. */
async function runCommit(context: Context, run: Run): Promise<Commitment> {
  const { requestId } = run.request
  record(context, requestId, { kind: 'commit_started', terms: run.terms })
  try {
    let state: State = COMMIT_BEGUN
    while (state.at !== 'ended')
      state = state.at === 'holding' ? await tryQuote(context, run, state) : await advance(context, run, state)
    return await conclude(context, run, state.end)
  } catch (fault) {
    if (fault instanceof RfqError) record(context, requestId, { kind: 'commit_refused', code: fault.code })
    // The request may have expired meanwhile. A committed request is ended by the call that took the confirmation.
    context.background.run('finish_failed', () => finishRequest(context, requestId))
    throw fault
  }
}

/** Goes on until the quote at hand is let go, or the commit has ended. */
async function tryQuote(context: Context, run: Run, state: StateAt<'holding', Judged, Acceptance, Execution>) {
  const { traceparent, requestId } = run.request
  const { makerId, quoteId } = state.quote
  return inTrace(context, 'ask', { traceparent, facts: { requestId, quoteId, makerId } }, async (step) => {
    const traced = { ...run, request: within(run.request, step) }
    let next: State = state
    while (next.at !== 'choosing' && next.at !== 'ended') {
      next = await advance(context, traced, next)
      if (next.at === 'releasing')
        step.note({ outcome: next.fault instanceof RfqError ? next.fault.code : next.outcome })
    }
    if (next.at === 'ended' && next.end.kind === 'committed') step.note({ outcome: 'confirmed' })
    return next
  })
}

async function advance<At extends Stage>(context: Context, run: Run, state: State & { at: At }): Promise<State> {
  try {
    const event = await effectsOf(context, run)[state.at](state as never)
    const next = stepCommit<At, Judged, Acceptance, Execution>(rulesOf(context, run), state as never, event)
    if (event.kind === 'book') recordRanking(context, run, { before: state, seen: event, next })
    return next
  } catch (fault) {
    return failCommit(state, fault)
  }
}

/** Enters all that a verifier needs to choose as the commit did (`domain/commit.ts`, `nextCandidate`). */
function recordRanking(
  context: Context,
  run: Run,
  { before, seen, next }: { before: State; seen: Events['choosing']; next: State },
): void {
  const considered = new Set(before.progress.candidates.map(({ makerId }) => makerId))
  const quotes = seen.ranked.map((quote) => ({
    ...quote,
    isProven: seen.proven.has(quote.makerId),
    isConsidered: considered.has(quote.makerId),
  }))
  const hurriedLeft = hurriedLeftOf(rulesOf(context, run), before.progress, seen)
  const chosen = next.at === 'holding' ? next.quote.quoteId : null
  context.audit.record({
    at: seen.now,
    requestId: run.request.requestId,
    kind: 'ranked',
    quotes,
    hurriedLeft,
    chosen,
  })
}

type Effects = { [At in Stage]: (state: StateAt<At, Judged, Acceptance, Execution>) => Promise<Events[At]> }

const effectsOf = (context: Context, { request, terms, committer, turn, absent }: Run): Effects => ({
  resuming: async () => {
    const left = await findLeft(context, request.requestId)
    const isOther = left.kind === 'order_left' && left.asked.order.taker !== terms.wallet
    if (isOther) throw new RfqError('commit_in_progress')
    if (left.kind === 'quote_left' && left.outcome === 'missed') {
      const { makerId, quoteId } = left.quote
      record(context, request.requestId, { kind: 'passed_over', makerId, quoteId, ...MISSED_BEFORE })
    }
    return left
  },
  choosing: () => readBook(context, request, { turn, absent }),
  holding: ({ quote }) => hold(context, request, quote),
  judging: ({ quote }) => judge(context, request, quote, committer),
  storing: ({ quote, judged, isHurried }) => {
    const { nonce } = judged
    if (nonce === null) return takeFirm(context, request, { quote, judged }, committer)
    const confirmationMs = timeToSign(context.settings, isHurried)
    return storeOrder(context, request, { quote, judged, nonce }, { ...committer, confirmationMs })
  },
  asking: ({ asked, isResumed }) => (isResumed ? awaitAnswer(context, asked) : ask(context, asked)),
  releasing: (state) => {
    if (state.isHurried && countsAsMiss(state.outcome)) context.patience.noteMissed()
    return release(context, request.requestId, state)
  },
})

/** A reader of the log sees why this commit does not ask the maker. */
const MISSED_BEFORE = {
  code: 'order_missed',
  detail: 'The maker has not signed the order of a commit that was cut off.',
}

/** The last place is for a proven maker. */
const rulesOf = ({ settings }: Context, { request, terms }: Run): CommitRules => ({
  request,
  terms,
  mostAsked: settings.maxCandidates,
  mostHurried: Math.min(settings.unprovenCandidates, settings.maxCandidates - 1),
})

const timeToSign = ({ makerConfirmationMs, unprovenConfirmationMs }: RelaySettings, isHurried: boolean): number =>
  isHurried ? Math.min(unprovenConfirmationMs, makerConfirmationMs) : makerConfirmationMs

/** No quote outlives its request, so none is found after `expiresAt` (decision C6). */
async function readBook(
  context: Context,
  { requestId, trade }: OneSided<QuoteRequest>,
  { turn, absent }: Pick<Run, 'turn' | 'absent'>,
): Promise<Events['choosing']> {
  const { book, proven, patience, clock } = context
  const [isStillOwner, { ranked: kept, left }] = await Promise.all([turn.isOwner(), book.look(requestId)])
  if (!isStillOwner) throw new RfqError('commit_in_progress')
  recordAbsent(context, requestId, { left, absent })
  const ranked = rankedOn(kept, trade.side)
  const known = await proven.among(ranked.map(({ makerId }) => makerId))
  return { kind: 'book', ranked, proven: known, patience: patience.left(), now: clock.now() }
}

/** The withdrawal of a quote may have died with the node that made it, and the log would show a quote that the commit left out. */
function recordAbsent(
  context: Context,
  requestId: string,
  { left, absent }: Pick<BookLook, 'left'> & Pick<Run, 'absent'>,
): void {
  const former = new Set(absent)
  absent.clear()
  for (const { makerId, quoteId } of left) {
    absent.add(quoteId)
    if (!former.has(quoteId)) record(context, requestId, { kind: 'quote_absent', makerId, quoteId })
  }
}

async function conclude(context: Context, { request, terms }: Run, end: CommitEnd<Execution>): Promise<Commitment> {
  if (end.kind === 'refused') throw end.fault
  if (end.kind === 'no_candidate') {
    // This only explains the refusal, and anyone may repeat it at will: a cached read will do.
    await assertTradable(context, request, 'cached')
    throw new RfqError(end.reason)
  }
  return end.trade === null ? resumeClosed(context, request.requestId, terms) : commitmentOf(context, end.trade, terms)
}
