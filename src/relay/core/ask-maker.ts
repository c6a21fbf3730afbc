import type { RankedQuote } from '@rfqctl/protocol/domain/best-quote'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import { fillContracts, isSameOffer, type Quote } from '@rfqctl/protocol/domain/quote'
import type { QuoteRequest } from '@rfqctl/protocol/domain/request'
import type { Address, Contracts, Hex } from '@rfqctl/protocol/domain/units'
import { noteTrade } from './confirm.ts'
import { type Context, record } from './context.ts'
import { createAcceptance, firmAcceptance, withInventory, withOrder } from './create-acceptance.ts'
import { goneRefusal } from './maker-protections.ts'
import { type MaybePromise, thenMaybe } from './ports/maybe-promise.ts'
import type { Acceptance, Execution } from './ports/store.ts'
import { inTrace, within } from './ports/tracer.ts'
import { counts } from './signature-checks.ts'
import { judgeQuote, MAX_TRIES, noteInsolvent, type Solvency } from './solvency.ts'
import { readTakerPosition, type TakerPosition } from './taker-position.ts'
import { assertTradable } from './tradable.ts'
import { POLL_INTERVAL_MS, waitFor } from './wait-for.ts'
import { waitForConfirmation } from './wait-for-confirmation.ts'

/**
 * `missed` means no signature, also after a decline: a best offer that is not honoured must not rank first again
 * (decision Q6). `changed` means that the quote moved before it could be held: read the book again.
 */
export type MakerAnswer =
  | { kind: 'confirmed'; execution: Execution }
  | { kind: 'missed'; outcome: 'missed' | 'declined' | 'unreachable' }
  | { kind: 'insolvent'; shortfall: RfqError }
  | { kind: 'capped'; shortfall: RfqError }
  /** Held back by its protections or a suspension, or it cancelled its order on chain, which is not a miss. */
  | { kind: 'protected' }
  /** Not asked for a taker that has proved no wallet (decision C17). */
  | { kind: 'unproven' }
  | { kind: 'changed' }
  | { kind: 'closed' }

type Insolvency = { shortfall: RfqError; isOwnFault: boolean }

/**
 * `confirmationMs` is the time to sign. `isProven`: the taker has proved its wallet. `clientAddress`: the address that
 * commits, null if unknown.
 */
export type AskTerms = { taker: Address; confirmationMs: number; isProven: boolean; clientAddress: string | null }

/**
 * Holds the quote, reads the series and the maker's funds past the cache, finds its connection, builds the order,
 * stores it, and only then asks for the signature (decisions C4, C5).
 */
export function askMaker(
  context: Context,
  request: QuoteRequest,
  candidate: RankedQuote,
  terms: AskTerms,
): Promise<MakerAnswer> {
  const { traceparent, requestId } = request
  const facts = { requestId, quoteId: candidate.quoteId, makerId: candidate.makerId }
  return inTrace(context, 'ask', { traceparent, facts }, async (step) => {
    const answer = await askCandidate(context, within(request, step), candidate, terms)
    step.note({ outcome: answer.kind })
    return answer
  })
}

async function askCandidate(
  context: Context,
  request: QuoteRequest,
  candidate: RankedQuote,
  terms: AskTerms,
): Promise<MakerAnswer> {
  const { book } = context
  const { requestId } = request
  const quote = await book.lock(candidate)
  if (quote === null) return whyNotHeld(context, requestId)
  let answer: MakerAnswer = { kind: 'changed' }
  try {
    if (isSameOffer(quote, candidate) && quote.isFirm === candidate.isFirm)
      answer = await askHeldQuote(context, request, quote, terms)
    return answer
  } finally {
    const result = answer.kind === 'missed' ? 'missed' : 'unasked'
    if (answer.kind !== 'confirmed') await book.unlock(requestId, quote.quoteId, result)
    if (answer.kind === 'protected') await withdrawProtected(context, quote)
  }
}

async function askHeldQuote(
  context: Context,
  request: QuoteRequest,
  quote: Quote,
  terms: AskTerms,
): Promise<MakerAnswer> {
  const { store, chain, presence, clock, log, protections, records, unproven } = context
  const { makerId, quoteId } = quote
  const held = await heldBack(context, request, quote)
  if (held !== null) return passOver(context, quote, { kind: 'protected' }, held)
  const { isProven, clientAddress } = terms
  if (!isProven && unproven.isSpent(clientAddress, quote.maker)) return askForProof(context, quote)
  const protectionsVersion = protections.versionOf(makerId)
  const amount = fillContracts(request.trade, quote)
  const judging = [
    judgeQuote(context, request, quote, { ...terms, freshness: 'latest' }),
    readTakerPosition(context, request, { wallet: terms.taker, amount, freshness: 'latest' }),
    assertTradable(context, request, 'latest'),
  ] as const
  if (quote.isFirm) {
    const { maker, firmTerms } = quote
    const asking = countedSignature(context, request, quote, terms)
    const isUsed = firmTerms !== undefined && chain.isNonceUsed(maker, firmTerms.nonce)
    const [solvency, position, room, counted, isNonceUsed] = await Promise.all([...judging, asking, isUsed])
    if (isNonceUsed) return passOver(context, quote, { kind: 'protected' }, NONCE_USED)
    const capped = capRefusal(room, amount, solvency, position)
    if (capped !== null) return passOver(context, quote, { kind: 'capped', shortfall: capped }, capped)
    return takeFirm(context, request, { ...terms, quote, solvency, position, protectionsVersion, counted })
  }
  // An unused nonce stays allotted to this request.
  const [{ nonce, isNonceUsed }, hasSocket, solvency, position, room] = await Promise.all([
    allotNonce(context, request, quote),
    presence.hasSocket(makerId),
    ...judging,
  ])
  if (isNonceUsed) return passOver(context, quote, { kind: 'protected' }, NONCE_USED)
  const capped = capRefusal(room, amount, solvency, position)
  if (capped !== null) return passOver(context, quote, { kind: 'capped', shortfall: capped }, capped)
  if (solvency.shortfall !== null)
    return refuseInsolvent(context, quote, { ...solvency, shortfall: solvency.shortfall })
  if (!hasSocket && !(await appears(context, makerId))) {
    const refused = await heldBack(context, request, quote)
    if (refused !== null) return passOver(context, quote, { kind: 'protected' }, refused)
    log.info('maker_unreachable', { requestId: request.requestId, quoteId, makerId })
    records.unreachable(quote)
    return passOver(context, quote, { kind: 'missed', outcome: 'unreachable' }, UNREACHABLE)
  }
  const asked = await createAcceptance(context, request, { ...terms, quote, nonce })
  // Reading funds, waiting for a socket and writing the order may each outlast the quote.
  const hasLapsed = () => clock.now() >= quote.expiresAt
  if (hasLapsed()) return { kind: 'changed' }
  const accepted = await accept(solvency, async (judged) => {
    const acceptance = withInventory(asked, judged, position)
    const inserted = await store.acceptances.insert(acceptance, judged.outstandingVersion, protectionsVersion)
    return inserted === true ? acceptance : inserted
  })
  if (accepted.kind !== 'accepted') return refuse(context, request, quote, accepted)
  const acceptance = accepted.made
  if (!isProven) unproven.note(clientAddress, quote.maker)
  const isGone = await hasGone(context, quote)
  if (hasLapsed() && (await store.acceptances.withdraw(acceptance.acceptanceId))) return { kind: 'changed' }
  if (isGone && (await store.acceptances.withdraw(acceptance.acceptanceId))) {
    return passOver(context, quote, { kind: 'protected' }, goneRefusal())
  }
  // The first failure ends both: a wait left alone would reject with no listener. A maker that is gone is not asked,
  // even if another call has ended its acceptance.
  const asking = isGone ? undefined : send(context, acceptance)
  const [outcome] = await Promise.all([waitForConfirmation(context, acceptance), asking])
  if (outcome !== 'confirmed') return { kind: 'missed', outcome: missedBy(outcome) }
  const execution = await store.executions.findByRequest(request.requestId)
  return execution === null ? { kind: 'closed' } : { kind: 'confirmed', execution }
}

export const missedBy = (outcome: 'declined' | 'timed_out'): 'declined' | 'missed' =>
  outcome === 'declined' ? outcome : 'missed'

/**
 * Options that are handed over are open already. New ones need room in their series, which the core counts when they
 * are written.
 */
function capRefusal(
  room: Contracts | null,
  amount: Contracts,
  ...sellers: { fromInventory: Contracts }[]
): RfqError | null {
  const written = sellers.reduce((left, { fromInventory }) => left - fromInventory, amount as bigint)
  if (room === null || written <= room) return null
  return new RfqError('amount_too_large', {
    detail: `The series can hold ${room} options more; this fill writes ${written}.`,
  })
}

/**
 * A request and wallet always get the same nonce (decision C7). The maker may have cancelled it on chain after a miss,
 * since its late signature is a right to trade.
 */
async function allotNonce(
  { store, chain }: Pick<Context, 'store' | 'chain'>,
  { requestId }: QuoteRequest,
  { maker }: Quote,
): Promise<{ nonce: number; isNonceUsed: boolean }> {
  const nonce = await store.allotNonce(requestId, maker)
  return { nonce, isNonceUsed: await chain.isNonceUsed(maker, nonce) }
}

type FirmTaking = Pick<AskTerms, 'taker' | 'isProven' | 'clientAddress'> & {
  quote: Quote
  solvency: Solvency
  position: TakerPosition
  protectionsVersion: number
  /** The signature that the chain counts; null if it counts none or need not be asked. */
  counted: Hex | null
}

/**
 * Asks the chain again about a signature that it counted once: an authorised key may be revoked since, and a wallet may
 * change owners. A signature of the maker's own key counts for good and needs no read.
 */
const countedSignature = (
  { book, chain }: Pick<Context, 'book' | 'chain'>,
  request: QuoteRequest,
  quote: Quote,
  { taker }: Pick<AskTerms, 'taker'>,
): MaybePromise<Hex | null> =>
  thenMaybe(book.firmSignature(quote), (signed) => {
    const { firmTerms } = quote
    if (signed === null || signed.shownBy === 'key' || firmTerms === undefined) return null
    const { order } = withOrder({ chain }, request, { ...quote, firmTerms }, taker)
    const { signature } = signed
    return thenMaybe(chain.signedUntil(order, signature), (until) => (counts(order, until) ? signature : null))
  })

/**
 * Closes on an order signed beforehand, in one step of the store (decision F2). Everything that stops a maker from
 * being asked stops this, too.
 */
async function takeFirm(
  context: Context,
  request: QuoteRequest,
  { quote, taker, isProven, clientAddress, solvency, position, protectionsVersion, counted }: FirmTaking,
): Promise<MakerAnswer> {
  const { store, book, clock, ids, blocks } = context
  if (solvency.shortfall !== null)
    return refuseInsolvent(context, quote, { ...solvency, shortfall: solvency.shortfall })
  const acceptance = await firmAcceptance(context, request, { quote, taker, isProven })
  // The signature is read last: a withdrawal or stand-down during the reads has removed it. Then the hold: once that is
  // gone, another quote may have taken this one's place.
  const firm = await book.firmSignature(quote)
  const [live, standing] = await Promise.all([book.find(request.requestId), book.findQuote(quote)])
  const isHeld = live?.signing?.quoteId === quote.quoteId && standing !== null
  if (!isHeld || clock.now() >= quote.expiresAt) return { kind: 'changed' }
  if (blocks.has(quote.makerId)) return passOver(context, quote, { kind: 'protected' }, new RfqError('maker_blocked'))
  if (firm === null || acceptance === null) return passOver(context, quote, { kind: 'protected' }, FIRM_LAPSED)
  if (firm.shownBy === 'chain' && firm.signature !== counted) {
    return passOver(context, quote, { kind: 'protected' }, FIRM_REVOKED)
  }
  const signed = { executionId: ids.uuid(), signature: firm.signature }
  // Checked right before each try, so that nothing is read in between (invariant V11).
  const accepted = await accept(solvency, async (judged) => {
    if (await hasGone(context, quote)) return 'gone'
    const taken = withInventory(acceptance, judged, position)
    return store.acceptances.insertSigned(taken, signed, judged.outstandingVersion, protectionsVersion)
  })
  if (accepted.kind !== 'accepted') return refuse(context, request, quote, accepted)
  if (!isProven) context.unproven.note(clientAddress, quote.maker)
  noteTrade(context, accepted.made, null)
  return { kind: 'confirmed', execution: accepted.made }
}

type Refused =
  | { kind: 'closed' | 'changed' | 'protected' | 'unproven' | 'suspended' | 'gone' }
  | ({ kind: 'insolvent' } & Insolvency)

/** Judges the wallet again, and retries `insert`, while the wallet has promised more since the last judgement. */
async function accept<Made extends Acceptance | Execution>(
  judged: Solvency,
  insert: (
    judged: Solvency,
  ) => Promise<Made | false | 'outdated' | 'late' | 'protected' | 'unproven' | 'suspended' | 'gone'>,
): Promise<{ kind: 'accepted'; made: Made } | Refused> {
  let solvency = judged
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const { shortfall, isOwnFault } = solvency
    if (shortfall !== null) return { kind: 'insolvent', shortfall, isOwnFault }
    const made = await insert(solvency)
    if (made === 'protected' || made === 'unproven' || made === 'suspended' || made === 'gone') return { kind: made }
    if (made === false) return { kind: 'closed' }
    if (made === 'late') return { kind: 'changed' }
    if (made !== 'outdated') return { kind: 'accepted', made }
    solvency = await solvency.again()
  }
  return { kind: 'changed' }
}

async function refuse(context: Context, request: QuoteRequest, quote: Quote, refused: Refused): Promise<MakerAnswer> {
  const { records, protections } = context
  const { makerId } = quote
  if (refused.kind === 'insolvent') return refuseInsolvent(context, quote, refused)
  if (refused.kind === 'suspended') {
    await records.refresh(makerId)
    const refusal = records.refusalOf(makerId) ?? new RfqError('maker_suspended')
    return passOver(context, quote, { kind: 'protected' }, refusal)
  }
  if (refused.kind === 'gone') return passOver(context, quote, { kind: 'protected' }, goneRefusal())
  if (refused.kind === 'unproven') return askForProof(context, quote)
  if (refused.kind !== 'protected') return { kind: refused.kind }
  await protections.refresh(makerId)
  const refusal = await heldBack(context, request, quote)
  return refusal === null ? { kind: 'changed' } : passOver(context, quote, { kind: 'protected' }, refusal)
}

const heldBack = async (
  { records, protections }: Pick<Context, 'records' | 'protections'>,
  request: QuoteRequest,
  quote: Quote,
): Promise<RfqError | null> => records.refusalOf(quote.makerId) ?? (await protections.askRefusal(request, quote))

/** This maker would be asked for a taker that has proved its wallet (decision C17). */
const askForProof = (context: Pick<Context, 'audit' | 'clock'>, quote: Quote): MakerAnswer =>
  passOver(context, quote, { kind: 'unproven' }, new RfqError('proof_required'))

/**
 * Counts against the maker only if its wallet could not pay this order alone, not if takers owe it fills (invariant
 * V12).
 */
function refuseInsolvent(
  context: Pick<Context, 'audit' | 'clock' | 'records' | 'store' | 'orderEvents' | 'background'>,
  quote: Quote,
  { shortfall, isOwnFault }: Insolvency,
): MakerAnswer {
  if (shortfall.code === 'proof_required') return askForProof(context, quote)
  noteInsolvent(context, quote, { isOwnFault })
  return passOver(context, quote, { kind: 'insolvent', shortfall }, shortfall)
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

/**
 * A quote held back by protections or a lapsed signature must not rank first. The maker's other quotes go when they are held
 * back, too.
 */
async function withdrawProtected(context: Context, { requestId, makerId, quoteId }: Quote): Promise<void> {
  if ((await context.book.remove({ requestId, makerId, quoteId })) !== 'removed') return
  record(context, requestId, { kind: 'quote_withdrawn', makerId, quoteId })
}

const FIRM_LAPSED = { code: 'seal_lapsed', message: 'The order can be filled for too short, or its signature is lost.' }

const FIRM_REVOKED = { code: 'seal_revoked', message: 'The chain no longer counts the signature of the order.' }

const NONCE_USED = { code: 'nonce_used', message: 'The nonce of the order was filled or cancelled on chain.' }

const UNREACHABLE = { code: 'maker_unreachable', message: 'The maker has no open WebSocket.' }

function passOver(
  context: Pick<Context, 'audit' | 'clock'>,
  { requestId, makerId, quoteId }: Quote,
  answer: MakerAnswer,
  { code, message }: { code: string; message: string },
): MakerAnswer {
  record(context, requestId, { kind: 'passed_over', makerId, quoteId, code, detail: message })
  return answer
}

async function send(context: Context, acceptance: Acceptance): Promise<void> {
  const { bus, log, digests } = context
  const { requestId, quoteId, makerId, order, deadline } = acceptance
  await bus.publish('maker', makerId, { kind: 'accepted', acceptance })
  log.info('maker_asked', { requestId, quoteId, makerId })
  record(context, requestId, { kind: 'asked', makerId, quoteId, order, deadline })
  digests.prepare(acceptance)
}

async function whyNotHeld({ book }: Pick<Context, 'book'>, requestId: string): Promise<MakerAnswer> {
  const live = await book.find(requestId)
  if (live === null || live.status !== 'open') return { kind: 'closed' }
  if (live.signing !== null) throw new RfqError('commit_in_progress')
  return { kind: 'changed' }
}

/**
 * Waits up to the grace for a socket (decision C5). Checks at once, since the maker may have connected during the
 * reads.
 */
async function appears(
  { presence, clock, settings, protections }: Pick<Context, 'presence' | 'clock' | 'settings' | 'protections'>,
  makerId: string,
): Promise<boolean> {
  // A maker that cancels on disconnect allows no longer wait than its own grace.
  const ownEnd = (await protections.graceEnd(makerId)) ?? Number.POSITIVE_INFINITY
  const graceEnd = Math.min(clock.now() + settings.makerOfflineGraceMs, ownEnd)
  let pollAt = clock.now()
  return waitFor<boolean>(clock, {
    listen: (end) => presence.onSocket((joined) => joined === makerId && end(true)),
    poll: async () => {
      if (await presence.hasSocket(makerId)) return true
      pollAt = Math.min(clock.now() + POLL_INTERVAL_MS, graceEnd)
      return clock.now() >= graceEnd ? false : null
    },
    nextPoll: () => pollAt,
  })
}
