import { PaymentError, TransactionRevertedError } from '@rfqctl/client/errors'
import type { Hex, Usd6 } from '@rfqctl/client/index'
import { orderDigest } from '@rfqctl/protocol/domain/order'
import { isReduceOnly } from '@rfqctl/protocol/domain/request'
import { readFee } from './amounts.ts'
import { findTrade, type SessionContext } from './context.ts'
import { failureOf } from './failure.ts'
import type { Failure, PayBy, Stage } from './trade-record.ts'
import { partnerFeeOf } from './trade-view.ts'

export type Filler = ReturnType<typeof createFiller>

/** Transactions of a fill that are remembered: an approval and a fill, of two tries. */
const MAX_HASHES = 4

type Filling = Extract<Stage, { kind: 'filling' }>
type Filled = { hash: Hex; blockNumber: number | null; fee: Usd6 | null }

export function createFiller(context: SessionContext) {
  const busy = new Set<string>()
  // One fill of a trade runs at a time.
  const once = async (requestId: string, work: () => Promise<void>): Promise<void> => {
    if (busy.has(requestId)) return
    busy.add(requestId)
    try {
      await work()
    } finally {
      busy.delete(requestId)
    }
  }
  return {
    isBusy: (requestId: string) => busy.has(requestId),
    fill: (requestId: string, payBy?: PayBy) => once(requestId, () => fill(context, requestId, payBy)),
    resume: () => {
      for (const { request, stage } of context.get().trades) {
        if (stage.kind === 'filling') void once(request.requestId, () => resume(context, request.requestId, stage))
      }
    },
  }
}

async function fill(context: SessionContext, requestId: string, chosen: PayBy | undefined): Promise<void> {
  const record = findTrade(context, requestId)
  if (record?.stage.kind !== 'committed') return
  const wanted = chosen ?? context.get().ticket.payBy
  // Only its own wallet fills a trade that leaves a position.
  const payBy = isReduceOnly(record.request.terms.trade) && wanted === 'relayer' ? 'approve' : wanted
  const partnerFee = partnerFeeOf(context.get(), record.stage)
  const fresh = { step: 'preparing', hashes: [], orderHash: null, partnerFee } as const
  const stage: Filling = { ...record.stage, kind: 'filling', payBy, ...fresh }
  context.dispatch({ kind: 'trade-moved', requestId, stage })
  try {
    const filled =
      payBy === 'relayer' ? await fillByRelayer(context, requestId) : await fillByWallet(context, requestId, payBy)
    finish(context, requestId, filled)
  } catch (error) {
    if (!context.signal.aborted) await giveUp(context, requestId, error)
  }
}

/** The stage of a running fill changes meanwhile. */
function fillingOf(context: SessionContext, requestId: string): Filling {
  const stage = findTrade(context, requestId)?.stage
  if (stage?.kind !== 'filling') throw new Error('The trade is no longer being filled.')
  return stage
}

const change = (context: SessionContext, requestId: string, by: Partial<Filling>): void =>
  context.dispatch({ kind: 'trade-moved', requestId, stage: { ...fillingOf(context, requestId), ...by } })

type Approval = Exclude<PayBy, 'relayer'>

async function fillByWallet(context: SessionContext, requestId: string, approval: Approval): Promise<Filled> {
  const start = fillingOf(context, requestId)
  const { commitment, partnerFee = null } = start
  const trader = context.traderFor((hash) => keepHash(context, requestId, { start, hash }))
  change(context, requestId, { step: 'wallet' })
  const { fill: receipt } = await trader.fillOrder({ commitment, approval, partnerFee, signal: context.signal })
  return { hash: receipt.transactionHash, blockNumber: Number(receipt.blockNumber), fee: null }
}

/** Keeps a transaction as soon as it is sent, so that a page reloaded now finds its fill. */
function keepHash(context: SessionContext, requestId: string, { start, hash }: { start: Filling; hash: Hex }): void {
  const stage = findTrade(context, requestId)?.stage
  if (stage?.kind !== 'filling' && stage?.kind !== 'committed') return
  // A page opened meanwhile regards a fill without transactions as abandoned.
  const filling = stage.kind === 'filling' ? stage : start
  const hashes = [...filling.hashes, hash].slice(-MAX_HASHES)
  context.dispatch({ kind: 'trade-moved', requestId, stage: { ...filling, step: 'sent', hashes } })
}

async function fillByRelayer(context: SessionContext, requestId: string): Promise<Filled> {
  const { ports, get, signal } = context
  const { commitment, partnerFee = null } = fillingOf(context, requestId)
  const url = get().environment?.relayerUrl
  if (url == null) throw unavailable('This relay names no relayer.')
  const maxFee = readFee(get().ticket.maxFeeText)
  if ('problem' in maxFee) throw unavailable(`Fee: ${maxFee.problem}`)
  const relayer = ports.openRelayer(url)
  const terms = await relayer.getTerms({ signal })
  if (!terms.isAccepting) throw unavailable(terms.reason ?? 'The relayer takes no fills now.')
  change(context, requestId, { step: 'wallet' })
  const trader = context.reader()
  const signed = await trader.prepareGaslessFill({ commitment, terms, maxFee: maxFee.value, partnerFee, signal })
  change(context, requestId, { step: 'sent', orderHash: signed.authorization.orderHash })
  const { status, transactionHash, reason } = await relayer.submitFillUntilMined({ fill: signed, signal })
  if (status !== 'filled' || transactionHash === null)
    throw unavailable(reason ?? 'The relayer did not fill the order.')
  change(context, requestId, { hashes: [transactionHash] })
  // The relayer's answer alone is not trusted.
  const { blockNumber } = await trader.confirmRelayedFill({ commitment, transactionHash, signal })
  return { hash: transactionHash, blockNumber: Number(blockNumber), fee: terms.fee }
}

const unavailable = (message: string): PaymentError =>
  new PaymentError(message, { code: 'payment_unavailable', hint: 'Fill from the wallet itself while the order lasts.' })

function finish(context: SessionContext, requestId: string, filled: Filled): void {
  if (context.signal.aborted) return
  const { commitment, fellBackFrom, partnerFee = null } = fillingOf(context, requestId)
  const stage: Stage = { kind: 'filled', commitment, fellBackFrom, partnerFee, ...filled }
  context.dispatch({ kind: 'trade-moved', requestId, stage })
  context.refresh()
}

/** A failed fill leaves a signed trade, unless one of its transactions filled it all the same. */
async function giveUp(context: SessionContext, requestId: string, error: unknown): Promise<void> {
  const stage = findTrade(context, requestId)?.stage
  if (stage?.kind !== 'filling') return
  const isLost = stage.step === 'sent' && !(error instanceof TransactionRevertedError)
  const found = isLost ? await findSent(context, stage) : null
  if (context.signal.aborted) return
  if (found !== null) return finish(context, requestId, found)
  backToSigned(context, requestId, stage, failureOf(error))
}

function backToSigned(context: SessionContext, requestId: string, stage: Filling, failure: Failure | null): void {
  const { commitment, fellBackFrom } = stage
  context.dispatch({ kind: 'trade-moved', requestId, stage: { kind: 'committed', commitment, fellBackFrom }, failure })
  context.refresh()
}

/** The chain decides the outcome of a fill in progress when the page was left. */
async function resume(context: SessionContext, requestId: string, stage: Filling): Promise<void> {
  const found = await findSent(context, stage)
  if (context.signal.aborted || findTrade(context, requestId)?.stage.kind !== 'filling') return
  if (found !== null) return finish(context, requestId, found)
  // As far as known, nothing was filled: the order can be filled once, which the contract ensures.
  backToSigned(context, requestId, stage, null)
}

const findSent = async (context: SessionContext, stage: Filling): Promise<Filled | null> =>
  (await findFill(context, stage)) ?? (await findRelayed(context, stage))

type Sent = Pick<Filling, 'commitment' | 'hashes'>

async function findFill(context: SessionContext, { commitment, hashes }: Sent): Promise<Filled | null> {
  for (const transactionHash of hashes.toReversed()) {
    const receipt = await context
      .reader()
      .confirmRelayedFill({ commitment, transactionHash, signal: context.signal })
      // An approval, reverted, or unknown to the node.
      .catch(() => null)
    if (receipt !== null) return { hash: transactionHash, blockNumber: Number(receipt.blockNumber), fee: null }
  }
  return null
}

async function findRelayed(context: SessionContext, { commitment, payBy }: Filling): Promise<Filled | null> {
  const { onchain } = commitment
  const url = context.get().environment?.relayerUrl
  if (payBy !== 'relayer' || onchain === null || url == null) return null
  const orderHash = orderDigest(onchain.order, onchain.domain)
  const { signal } = context
  const standing = await context.ports
    .openRelayer(url)
    .getFill({ orderHash, signal })
    .catch(() => null)
  if (standing === null || standing.transactionHash === null) return null
  return findFill(context, { commitment, hashes: [standing.transactionHash] })
}
