import { type CommitTerms, commitKey, nextCandidate } from '../domain/commit.ts'
import { RfqError } from '../domain/errors.ts'
import { type TakerApproval, takerApproval } from '../domain/order.ts'
import type { QuoteRequest } from '../domain/request.ts'
import { askMaker } from './ask-maker.ts'
import { assertWallet } from './assert-wallet.ts'
import { type Context, inBackground, record } from './context.ts'
import { finishRequest } from './expire-request.ts'
import { assertUnlocked, findRequest } from './find-request.ts'
import type { Execution } from './ports/store.ts'
import { assertTradable } from './tradable.ts'
import { waitForConfirmation } from './wait-for-confirmation.ts'

/** A signed trade, with what its taker needs to fill it. */
export type Commitment = {
  mode: 'onchain' | 'simulated'
  execution: Execution
  approval: TakerApproval
}

type CommitInput = { requestId: string; terms: CommitTerms; takerSecret: string | null }
type RunningCommit = { key: string; outcome: Promise<Commitment> }

/**
 * The commit of a request: best quote first, down the ladder until a maker signs. Idempotent and resumable: the same
 * terms join a running commit, and get the same order afterwards until it ends (rulings C1 to C4).
 * @see spec "POST /quote-requests/{id}/commit"
 */
export function createCommit(context: Context): (input: CommitInput) => Promise<Commitment> {
  const running = new Map<string, RunningCommit>()

  return async ({ requestId, terms, takerSecret }) => {
    assertWallet(context, 'wallet', terms.wallet)
    const key = commitKey(terms)
    const join = () => {
      const current = running.get(requestId)
      if (current !== undefined && current.key !== key) throw new RfqError('commit_in_progress')
      return current?.outcome
    }
    const { request, status } = await findRequest(context, requestId)
    assertUnlocked(context, request, takerSecret)
    if (status === 'cancelled') throw new RfqError('request_closed')
    if (status === 'committed') return resume(context, requestId, terms)
    if (request.wallet !== null && request.wallet !== terms.wallet) throw new RfqError('wallet_mismatch')
    const joined = join()
    if (joined !== undefined) return joined
    const outcome = runCommit(context, request, terms).finally(() => running.delete(requestId))
    running.set(requestId, { key, outcome })
    return outcome
  }
}

async function runCommit(context: Context, request: QuoteRequest, terms: CommitTerms): Promise<Commitment> {
  const { requestId } = request
  record(context, requestId, { kind: 'commit_started', terms })
  try {
    return (await takeUpPending(context, request, terms)) ?? (await climb(context, request, terms))
  } catch (fault) {
    if (fault instanceof RfqError) record(context, requestId, { kind: 'commit_refused', code: fault.code })
    throw fault
  } finally {
    inBackground(context, 'finish_failed', () => finishRequest(context, requestId))
  }
}

/** The ladder, rung by rung (ruling C4). No quote outlives its request, so none is found after `expiresAt` (ruling C6). */
async function climb(context: Context, request: QuoteRequest, terms: CommitTerms): Promise<Commitment> {
  const { requestId } = request
  const considered = new Set<string>()
  let asked = 0
  let shortfall: RfqError | null = null
  while (asked < context.settings.maxCandidates) {
    const ranked = await context.book.ranked(requestId)
    const step = nextCandidate({ request, ranked, terms, considered, now: context.clock.now() })
    if (step.kind === 'none') {
      if (considered.size > 0) break
      await assertTradable(context, request)
      throw new RfqError(step.reason)
    }
    const answer = await askMaker(context, request, step.quote, terms.wallet)
    if (answer.kind === 'confirmed') return commitmentOf(context, answer.execution)
    if (answer.kind === 'closed') throw new RfqError('request_closed')
    if (answer.kind === 'changed') continue
    considered.add(step.quote.makerId)
    if (answer.kind === 'missed') asked += 1
    if (answer.kind === 'insolvent') shortfall ??= answer.shortfall
  }
  if (asked === 0 && shortfall !== null) throw shortfall
  throw new RfqError('no_maker_confirmed')
}

/** A confirmation that was already running, from before a restart or on another node: its taker waits for it. */
async function takeUpPending(
  context: Context,
  { requestId }: QuoteRequest,
  { wallet }: CommitTerms,
): Promise<Commitment | null> {
  const active = await context.store.acceptances.findActive(requestId)
  if (active === null) return null
  if (active.order.taker !== wallet) throw new RfqError('commit_in_progress')
  const outcome = active.state === 'confirmed' ? 'confirmed' : await waitForConfirmation(context, active)
  return outcome === 'confirmed' ? resume(context, requestId, { wallet }) : null
}

/** The order of an earlier commit, for the wallet that it names and while it can be filled (ruling C3). */
async function resume(
  context: Context,
  requestId: string,
  { wallet }: Pick<CommitTerms, 'wallet'>,
): Promise<Commitment> {
  const execution = await context.store.executions.findByRequest(requestId)
  if (execution === null || execution.acceptance.order.taker !== wallet) throw new RfqError('already_committed')
  const chainTime = await context.chain.time('latest')
  if (chainTime > execution.acceptance.order.validUntil) throw new RfqError('already_committed')
  return commitmentOf(context, execution)
}

const commitmentOf = ({ chain }: Context, execution: Execution): Commitment => ({
  mode: chain.mode,
  execution,
  approval: takerApproval(execution.acceptance.order, execution.acceptance.option),
})
