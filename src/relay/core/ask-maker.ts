import type { RankedQuote } from '@rfqctl/protocol/domain/best-quote'
import { type CommitEvents, type CommitState, countsAsMiss, type Over } from '@rfqctl/protocol/domain/commit-machine'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import { fillContracts, type Quote, quoteOn } from '@rfqctl/protocol/domain/quote'
import type { OneSided, QuoteRequest } from '@rfqctl/protocol/domain/request'
import type { Address, Hex } from '@rfqctl/protocol/domain/units'
import { admit, admitSigned } from './admit.ts'
import { announceTrade } from './announce-trade.ts'
import { type Context, record } from './context.ts'
import { createAcceptance, firmAcceptance, withInventory } from './create-acceptance.ts'
import { readCounted } from './firm-quote.ts'
import { goneRefusal } from './maker-protections.ts'
import { over, passOver, passOverHeldBack, passOverInsolvent, passOverShort, passOverUnproven } from './pass-over.ts'
import type { Acceptance, Execution } from './ports/store.ts'
import { promiseOrder } from './promise-order.ts'
import { judgeQuote, type Solvency } from './solvency.ts'
import { readTakerPosition, type TakerPosition } from './taker-position.ts'
import { assertTradable, capRefusal } from './tradable.ts'
import { waitForConfirmation } from './wait-for-confirmation.ts'
import { waitForSocket } from './wait-for-socket.ts'

/** Facts of a quote, read while it is held. */
export type Judged = {
  solvency: Solvency
  position: TakerPosition
  protectionsVersion: number
  /** The nonce of an order that is to be signed; an unused one stays allotted to this request. Null for a firm quote. */
  nonce: number | null
  /** The signature of a firm quote that the chain counts; null if it counts none or need not be asked. */
  counted: Hex | null
}

export type State = CommitState<Judged, Acceptance, Execution>
export type Events = CommitEvents<Judged, Acceptance, Execution>

/**
 * The committing taker. `isProven`: it has proved its wallet. `clientAddress`: the address that commits, null if
 * unknown.
 */
export type Committer = { taker: Address; isProven: boolean; clientAddress: string | null }

/** Holds a quote unchanged while its maker signs. */
export async function hold(
  { book }: Context,
  { requestId }: QuoteRequest,
  quote: RankedQuote,
): Promise<Events['holding']> {
  const held = await book.lock(quote)
  if (held !== null) return { kind: 'held', quote: quoteOn(held, quote.side) }
  const live = await book.find(requestId)
  if (live === null || live.status !== 'open') return over('closed')
  if (live.signing !== null) throw new RfqError('commit_in_progress')
  return over('changed')
}

/** Reads the series and the funds of the maker past the cache (decision C4), and finds its connection (decision C5). */
export async function judge(
  context: Context,
  request: OneSided<QuoteRequest>,
  quote: Quote,
  committer: Committer,
): Promise<Events['judging']> {
  const { protections, unproven } = context
  const { taker, isProven, clientAddress } = committer
  const held = await passOverHeldBack(context, request, quote)
  if (held !== null) return held
  if (!isProven && unproven.isSpent(clientAddress, quote.maker)) return passOverUnproven(context, quote)
  const protectionsVersion = protections.versionOf(quote.makerId)
  const amount = fillContracts(request.trade, quote)
  const [order, solvency, position, room] = await Promise.all([
    quote.isFirm ? readFirm(context, request, quote, taker) : readSoft(context, request, quote),
    judgeQuote(context, request, quote, { taker, isProven, freshness: 'latest' }),
    readTakerPosition(context, request, { wallet: taker, amount, freshness: 'latest' }),
    assertTradable(context, request, 'latest'),
  ])
  const { nonce, counted, isNonceUsed, hasSocket } = order
  if (isNonceUsed) return passOver(context, quote, 'withdrawn', NONCE_USED)
  const capped = capRefusal(room, amount, solvency, position)
  if (capped !== null) return passOverShort(context, quote, 'too_large', capped)
  const insolvent = passOverInsolvent(context, quote, solvency)
  if (insolvent !== null) return insolvent
  if (!hasSocket && !(await waitForSocket(context, quote.makerId))) return noteUnreachable(context, request, quote)
  return { kind: 'fit', judged: { solvency, position, protectionsVersion, nonce, counted } }
}

type OrderRead = Pick<Judged, 'nonce' | 'counted'> & { isNonceUsed: boolean; hasSocket: boolean }

/**
 * A request and wallet always get the same nonce (decision C7). The maker may have cancelled it on chain after a miss,
 * since its late signature is a right to trade.
 */
async function readSoft(
  { store, chain, presence }: Pick<Context, 'store' | 'chain' | 'presence'>,
  { requestId }: QuoteRequest,
  { makerId, maker }: Quote,
): Promise<OrderRead> {
  const isUsed = async (nonce: number) => ({ nonce, isNonceUsed: await chain.isNonceUsed(maker, nonce) })
  const [allotted, hasSocket] = await Promise.all([
    store.allotNonce(requestId, maker).then(isUsed),
    presence.hasSocket(makerId),
  ])
  return { ...allotted, hasSocket, counted: null }
}

/** Its maker has signed, so that it needs no socket. */
async function readFirm(context: Context, request: QuoteRequest, quote: Quote, taker: Address): Promise<OrderRead> {
  const { firmTerms, maker } = quote
  const [counted, isNonceUsed] = await Promise.all([
    readCounted(context, request, quote, taker),
    firmTerms !== undefined && context.chain.isNonceUsed(maker, firmTerms.nonce),
  ])
  return { nonce: null, counted, isNonceUsed, hasSocket: true }
}

/** Stores the order before its maker is asked to sign it (decision C4). `confirmationMs` is the time to sign. */
export async function storeOrder(
  context: Context,
  request: QuoteRequest,
  { quote, judged, nonce }: { quote: Quote; judged: Judged; nonce: number },
  committer: Committer & { confirmationMs: number },
): Promise<Events['storing']> {
  const { store, clock } = context
  const stored = await promiseOrder(context, request, { quote, judged }, async (solvency, seen) => {
    const asked = await createAcceptance(context, request, { ...committer, quote, nonce })
    // Reading funds, waiting for a socket or a turn and writing the order may each outlast the quote.
    if (clock.now() >= quote.expiresAt) return over('changed')
    const acceptance = withInventory(asked, solvency, judged.position)
    const admitted = await admit(store, acceptance, seen)
    return admitted === true ? acceptance : admitted
  })
  if ('kind' in stored) return stored
  noteUnproven(context, quote, committer)
  return { kind: 'stored', asked: stored }
}

/**
 * Closes on an order signed beforehand, in one step of the store (decision F2). Everything that stops a maker from
 * being asked stops this, too.
 */
export async function takeFirm(
  context: Context,
  request: QuoteRequest,
  { quote, judged }: { quote: Quote; judged: Judged },
  committer: Committer,
): Promise<Events['storing']> {
  const { store, book, clock, ids, blocks } = context
  const trade = await promiseOrder(context, request, { quote, judged }, async (solvency, seen) => {
    const acceptance = await firmAcceptance(context, request, { ...committer, quote })
    // The signature is read last: a withdrawal or stand-down during the reads has removed it. Then the hold: once that is
    // gone, another quote may have taken this one's place.
    const firm = await book.firmSignature(quote)
    const [live, standing] = await Promise.all([book.find(request.requestId), book.findQuote(quote)])
    const isHeld = live?.signing?.quoteId === quote.quoteId && standing !== null
    if (!isHeld || clock.now() >= quote.expiresAt) return over('changed')
    if (blocks.has(quote.makerId)) return passOver(context, quote, 'withdrawn', new RfqError('maker_blocked'))
    if (firm === null || acceptance === null) return passOver(context, quote, 'withdrawn', FIRM_LAPSED)
    if (firm.shownBy === 'chain' && firm.signature !== judged.counted)
      return passOver(context, quote, 'withdrawn', FIRM_REVOKED)
    const signed = { executionId: ids.uuid(), signature: firm.signature }
    const taken = withInventory(acceptance, solvency, judged.position)
    return admitSigned(store, taken, { ...seen, signed, hasGone: () => hasGone(context, quote) })
  })
  if ('kind' in trade) return trade
  noteUnproven(context, quote, committer)
  announceTrade(context, trade, null)
  return { kind: 'over', outcome: 'confirmed', trade }
}

const noteUnproven = ({ unproven }: Context, { maker }: Quote, { isProven, clientAddress }: Committer): void => {
  if (!isProven) unproven.note(clientAddress, maker)
}

/** Sends the stored order to its maker, and waits for the signature (decision C5). */
export async function ask(context: Context, acceptance: Acceptance): Promise<Events['asking']> {
  const { store, clock } = context
  const { acceptanceId, quote, requestId } = acceptance
  const isGone = await hasGone(context, quote)
  const hasLapsed = clock.now() >= quote.expiresAt
  if ((hasLapsed || isGone) && (await store.acceptances.withdraw(acceptanceId)))
    return hasLapsed ? over('changed') : passOver(context, quote, 'withdrawn', goneRefusal())
  // The first failure ends both: a wait left alone would reject with no listener. A maker that is gone is not asked,
  // even if another call has ended its acceptance.
  const sending = isGone ? undefined : send(context, acceptance)
  const [answer] = await Promise.all([awaitAnswer(context, acceptance), sending])
  if (answer.outcome !== 'confirmed') return answer
  const trade = await store.executions.findByRequest(requestId)
  return trade === null ? over('closed') : { ...answer, trade }
}

/** A commit that was cut off goes on here with an order that is out for signature. */
export const awaitAnswer = async (context: Context, acceptance: Acceptance): Promise<Events['asking']> =>
  over(await waitForConfirmation(context, acceptance))

async function send(context: Context, acceptance: Acceptance): Promise<void> {
  const { bus, log, digests } = context
  const { requestId, quoteId, makerId, order, deadline } = acceptance
  await bus.publish('maker', makerId, { kind: 'accepted', acceptance })
  log.info('maker_asked', { requestId, quoteId, makerId })
  record(context, requestId, { kind: 'asked', makerId, quoteId, order, deadline })
  digests.prepare(acceptance)
}

/**
 * A best offer that is not honoured must not rank first again, also after a decline (decision Q6), nor one that is held
 * back by protections or a lapsed signature. The maker's other quotes go when they are held back, too.
 */
export async function release(
  context: Context,
  requestId: string,
  { quote: { makerId, quoteId }, outcome }: Pick<Extract<State, { at: 'releasing' }>, 'quote' | 'outcome'>,
): Promise<Events['releasing']> {
  const { book } = context
  await book.unlock(requestId, quoteId, countsAsMiss(outcome) ? 'missed' : 'unasked')
  if (outcome === 'withdrawn' && (await book.remove({ requestId, makerId, quoteId })) === 'removed')
    record(context, requestId, { kind: 'quote_withdrawn', makerId, quoteId })
  return { kind: 'released' }
}

/** It may be gone by its own protections, which is no miss. */
async function noteUnreachable(context: Context, request: QuoteRequest, quote: Quote): Promise<Over<Execution>> {
  const { requestId, quoteId, makerId } = quote
  const held = await passOverHeldBack(context, request, quote)
  if (held !== null) return held
  context.log.info('maker_unreachable', { requestId, quoteId, makerId })
  context.records.unreachable(quote)
  return passOver(context, quote, 'unreachable', UNREACHABLE)
}

/**
 * True if a maker that cancels on disconnect was away for longer than its grace since it was considered (invariant
 * V11): it still is, or its quote is gone, as it is once such a maker is back.
 */
async function hasGone(
  { protections, book, clock }: Pick<Context, 'protections' | 'book' | 'clock'>,
  { makerId, quoteId }: Quote,
): Promise<boolean> {
  if (protections.disconnectRule(makerId) === null) return false
  const live = await book.findQuote({ makerId, quoteId })
  // Last, so that no wait lies between this check and the question.
  const graceEnd = await protections.graceEnd(makerId)
  return live === null || (graceEnd !== null && clock.now() >= graceEnd)
}

const FIRM_LAPSED = { code: 'seal_lapsed', message: 'The order can be filled for too short, or its signature is lost.' }

const FIRM_REVOKED = { code: 'seal_revoked', message: 'The chain no longer counts the signature of the order.' }

const NONCE_USED = { code: 'nonce_used', message: 'The nonce of the order was filled or cancelled on chain.' }

const UNREACHABLE = { code: 'maker_unreachable', message: 'The maker has no open WebSocket.' }
