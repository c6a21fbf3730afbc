import { isLost, RelayError } from '@rfqctl/client/errors'
import type { CommittedTrade, Hex, Side } from '@rfqctl/client/index'
import { isSamePartner } from '@rfqctl/protocol/domain/partner-fee'
import { commitPreview, walletProblem } from './commit-view.ts'
import { findTrade, type SessionContext } from './context.ts'
import { failureOf } from './failure.ts'
import type { Stage, TradeRecord } from './trade-record.ts'
import { dueOf, partnerFeeOf } from './trade-view.ts'
import { relayNow } from './view-model.ts'
import { endBy } from './watch.ts'

export type Committer = ReturnType<typeof createCommitter>

type Committing = Extract<Stage, { kind: 'committing' }>

export function createCommitter(context: SessionContext, fill: (requestId: string) => Promise<void>) {
  const busy = new Set<string>()
  return {
    isBusy: (requestId: string) => busy.has(requestId),
    /** One commit of a request runs at a time. */
    commit: async (requestId: string) => {
      const record = findTrade(context, requestId)
      if (record === undefined || busy.has(requestId)) return
      busy.add(requestId)
      try {
        // One was sent before without an answer: the same terms join it (decision C3).
        const isSent = record.stage.kind === 'committing'
        const shownFee = partnerFeeOf(context.get(), record.stage)
        const stage = isSent ? record.stage : await prove(context, record, committingStage(context, record))
        if (stage?.kind !== 'committing') return
        if (!isSent) context.dispatch({ kind: 'trade-moved', requestId, stage })
        else if (record.failure !== null) context.dispatch({ kind: 'trade-failed', requestId, failure: null })
        const commitment = await send(context, record, stage)
        if (commitment === null) return
        // A page that joins may be one of several: the person there decides when to pay, as where the fee has changed.
        const isFeeShown = isSamePartner(shownFee, partnerFeeOf(context.get(), record.stage))
        if (!isSent && isFeeShown && canFill(context, record, commitment)) await fill(requestId)
      } finally {
        busy.delete(requestId)
      }
    },
  }
}

/** The shown quote is the limit, unless limits were typed (decision C1). Null if there is an obstacle. */
function committingStage(context: SessionContext, record: TradeRecord): Committing | null {
  const state = context.get()
  const preview = commitPreview(state, record)
  const address = context.wallet()?.address
  if (preview === null || preview.shown === null || preview.problem !== null || address === undefined) return null
  const { shown, limitPrice, minContracts } = preview
  const firm = record.request.terms.firmOnly === true ? { firmOnly: true } : {}
  return {
    kind: 'committing',
    wallet: address,
    shown,
    protections: { limitPrice, minContracts, expectedQuoteId: null, ...firm },
    askedAt: relayNow(state),
    askedMakerId: shown.makerId,
  }
}

/**
 * Has the wallet sign the commit before it is sent, so that its owner is asked once, even across a reload. An owner who
 * refuses trades without a proof if the relay allows that. Null if nothing is to be sent: the relay insists, or the
 * request changed meanwhile.
 */
async function prove(
  context: SessionContext,
  { request, side }: TradeRecord,
  stage: Committing | null,
): Promise<Committing | null> {
  if (stage === null) return null
  const { get, dispatch, ports, signal } = context
  const { requestId } = request
  const key = `prove:${requestId}` as const
  const task = { kind: 'running', since: ports.clock.now(), step: 'wallet', hash: null } as const
  dispatch({ kind: 'task-changed', key, task })
  try {
    const { wallet, protections } = stage
    const proof = await context.reader().proveCommit({ request, wallet, ...sideOf(side), ...protections, signal })
    const now = findTrade(context, requestId)
    const isSame = now?.stage.kind === 'quoting' && now.side === side
    return isSame && !signal.aborted ? { ...stage, proof, askedAt: relayNow(get()) } : null
  } catch (error) {
    if (!signal.aborted) dispatch({ kind: 'trade-failed', requestId, failure: failureOf(error) })
    return null
  } finally {
    if (!signal.aborted) dispatch({ kind: 'task-changed', key, task: null })
  }
}

/** Only a commit to a request for both sides names one. */
const sideOf = (side: Side | undefined): { side?: Side } => (side === undefined ? {} : { side })

async function send(
  context: SessionContext,
  { request, side }: TradeRecord,
  { shown, wallet, protections, proof = null }: Committing,
): Promise<CommittedTrade | null> {
  const { dispatch, signal } = context
  const { requestId } = request
  const sendWith = (shownBy: Hex | null) =>
    context
      .reader()
      .commitToBestQuote({ request, shown, wallet, ...sideOf(side), ...protections, proof: shownBy, signal })
  try {
    const commitment = await sendWith(proof).catch((error: unknown) => {
      if (proof === null || !isUncounted(context, error)) throw error
      return sendWith(null)
    })
    if (signal.aborted) return null
    const fellBackFrom = commitment.quote.makerId === shown.makerId ? null : shown.makerId
    const kind = commitment.onchain === null ? 'simulated' : 'committed'
    const stage = findTrade(context, requestId)?.stage
    // Another page that sent the same may have an answer already, and be filling it.
    const isKnown = stage !== undefined && 'commitment' in stage
    if (!isKnown) dispatch({ kind: 'trade-moved', requestId, stage: { kind, commitment, fellBackFrom } })
    return commitment
  } catch (error) {
    if (!signal.aborted) refuse(context, requestId, error)
    return null
  }
}

/**
 * Whether a relay that does not insist on proofs rejects the wallet's: some wallets make signatures that no one
 * accepts.
 */
const isUncounted = ({ get }: SessionContext, error: unknown): boolean =>
  error instanceof RelayError && error.code === 'invalid_signature' && get().environment?.commitProof !== 'required'

/** A refusal leaves the request open; without an answer the maker may have signed, so a retry sends the same. */
function refuse(context: SessionContext, requestId: string, error: unknown): void {
  const { dispatch } = context
  // Another page's news counts: a refusal of this page must not take a signed order away.
  if (findTrade(context, requestId)?.stage.kind !== 'committing') return
  if (!(error instanceof RelayError) || isLost(error)) {
    dispatch({ kind: 'trade-failed', requestId, failure: failureOf(error) })
    return
  }
  dispatch({ kind: 'trade-moved', requestId, stage: { kind: 'quoting' } })
  endBy(context, requestId, error)
}

/** A wallet that cannot pay is not asked: the trade waits, and shows its deadline. */
function canFill(context: SessionContext, record: TradeRecord, { onchain }: CommittedTrade): boolean {
  if (onchain === null) return false
  const { optionAmount: amount, premiumAmount: premium } = onchain.order
  const state = context.get()
  const due = dueOf(record, { amount, premium, partnerFee: partnerFeeOf(state, record.stage) }) ?? premium
  return walletProblem(state, { due, payBy: state.ticket.payBy }) === null
}
