import type { RankedQuote } from '../domain/best-quote.ts'
import { RfqError } from '../domain/errors.ts'
import { buildOrder, orderDomain, orderValidUntil, signingTimeMs } from '../domain/order.ts'
import type { Quote } from '../domain/quote.ts'
import { type QuoteRequest, seriesTermsOf } from '../domain/request.ts'
import type { Address } from '../domain/units.ts'
import { type Context, record } from './context.ts'
import { goneRefusal } from './maker-protections.ts'
import type { Acceptance, Execution } from './ports/store.ts'
import { judgeQuote, MAX_TRIES, noteInsolvent, type Solvency } from './solvency.ts'
import { assertTradable } from './tradable.ts'
import { POLL_INTERVAL_MS, waitFor } from './wait-for.ts'
import { waitForConfirmation } from './wait-for-confirmation.ts'

/**
 * What came of one candidate. `missed`: no signature, also by a decline, for what was offered best and is not honoured must
 * not stand on top again (decision Q6). `changed`: the quote moved before it could be held, read the book again.
 */
export type MakerAnswer =
  | { kind: 'confirmed'; execution: Execution }
  | { kind: 'missed' }
  | { kind: 'insolvent'; shortfall: RfqError }
  /** Its own protections or a suspension hold it back, which is no miss. */
  | { kind: 'protected' }
  | { kind: 'changed' }
  | { kind: 'closed' }

type Insolvency = { shortfall: RfqError; isOwnFault: boolean }

/** For whom a maker is asked, and how long it has to sign, in milliseconds. */
type AskTerms = { taker: Address; confirmationMs: number }

/**
 * Asks one candidate: holds the quote, reads the series and the maker's funds past the cache, makes sure that it is
 * connected, builds the order, stores it and only then asks for the signature (decisions C4, C5).
 */
export async function askMaker(
  context: Context,
  request: QuoteRequest,
  candidate: RankedQuote,
  terms: AskTerms,
): Promise<MakerAnswer> {
  const { book } = context
  const { requestId } = request
  const quote = await book.lock(requestId, candidate.quoteId)
  if (quote === null) return whyNotHeld(context, requestId)
  let answer: MakerAnswer = { kind: 'changed' }
  try {
    if (isSameOffer(quote, candidate)) answer = await askHeldQuote(context, request, quote, terms)
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
  const { store, presence, clock, log, protections, records } = context
  const { makerId, quoteId } = quote
  const heldBack = async () => records.refusalOf(makerId) ?? (await protections.askRefusal(request, quote))
  const held = await heldBack()
  if (held !== null) return passOver(context, quote, { kind: 'protected' }, held)
  const protectionsVersion = protections.versionOf(makerId)
  // A nonce that is not needed now stays this request's.
  const [solvency, nonce, hasSocket] = await Promise.all([
    judgeQuote(context, request, quote, { freshness: 'latest', taker: terms.taker }),
    store.allotNonce(request.requestId, quote.maker),
    presence.hasSocket(makerId),
    assertTradable(context, request, 'latest'),
  ])
  if (solvency.shortfall !== null)
    return refuseInsolvent(context, quote, { ...solvency, shortfall: solvency.shortfall })
  if (!hasSocket && !(await appears(context, makerId))) {
    const refused = await heldBack()
    if (refused !== null) return passOver(context, quote, { kind: 'protected' }, refused)
    log.info('maker_unreachable', { requestId: request.requestId, quoteId, makerId })
    records.unreachable(quote)
    return passOver(context, quote, { kind: 'missed' }, UNREACHABLE)
  }
  const acceptance = await createAcceptance(context, request, { ...terms, quote, nonce })
  // Funds were read, a socket waited for and the order written meanwhile, any of which may take longer than the quote lasts.
  const hasLapsed = () => clock.now() >= quote.expiresAt
  if (hasLapsed()) return { kind: 'changed' }
  const accepted = await accept(context, acceptance, solvency, protectionsVersion)
  if (typeof accepted === 'object') return refuseInsolvent(context, quote, accepted)
  if (accepted === 'suspended') {
    await records.refresh(makerId)
    return passOver(
      context,
      quote,
      { kind: 'protected' },
      records.refusalOf(makerId) ?? new RfqError('maker_suspended'),
    )
  }
  if (accepted === 'protected') {
    await protections.refresh(makerId)
    const refused = await heldBack()
    return refused === null ? { kind: 'changed' } : passOver(context, quote, { kind: 'protected' }, refused)
  }
  if (accepted !== 'accepted') return { kind: accepted }
  const isGone = await hasGone(context, quote)
  if (hasLapsed() && (await store.acceptances.withdraw(acceptance.acceptanceId))) return { kind: 'changed' }
  if (isGone && (await store.acceptances.withdraw(acceptance.acceptanceId))) {
    return passOver(context, quote, { kind: 'protected' }, goneRefusal())
  }
  // Whoever fails first ends both: a wait that is left to itself would reject when no one listens any more.
  // One that is gone is not asked, also when someone else has ended its acceptance meanwhile.
  const asking = isGone ? undefined : send(context, acceptance)
  const [outcome] = await Promise.all([waitForConfirmation(context, acceptance), asking])
  if (outcome !== 'confirmed') return { kind: 'missed' }
  const execution = await store.executions.findByRequest(request.requestId)
  return execution === null ? { kind: 'closed' } : { kind: 'confirmed', execution }
}

/** Stores an order, unless its wallet has promised so much since it was judged that it cannot pay this one, too. */
async function accept(
  { store }: Pick<Context, 'store'>,
  acceptance: Acceptance,
  judged: Solvency,
  protectionsVersion: number,
): Promise<'accepted' | 'closed' | 'changed' | 'protected' | 'suspended' | Insolvency> {
  let solvency = judged
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const { shortfall, isOwnFault } = solvency
    if (shortfall !== null) return { shortfall, isOwnFault }
    const inserted = await store.acceptances.insert(acceptance, solvency.outstandingVersion, protectionsVersion)
    if (inserted === 'protected' || inserted === 'suspended') return inserted
    if (inserted !== 'outdated') return inserted ? 'accepted' : 'closed'
    solvency = await solvency.again()
  }
  return 'changed'
}

/** Its wallet cannot pay: that counts where it could not pay this alone, and not where takers owe it fills (invariant V12). */
function refuseInsolvent(
  context: Pick<Context, 'audit' | 'clock' | 'records' | 'store' | 'log'>,
  quote: Quote,
  { shortfall, isOwnFault }: Insolvency,
): MakerAnswer {
  noteInsolvent(context, quote, { isOwnFault })
  return passOver(context, quote, { kind: 'insolvent', shortfall }, shortfall)
}

/**
 * Whether a maker that cancels on disconnect was away for longer than its grace since it was considered (invariant V11): it is
 * so now, or its quote went meanwhile, as it does when such a maker comes back.
 */
async function hasGone(
  { protections, book, clock }: Pick<Context, 'protections' | 'book' | 'clock'>,
  { makerId, quoteId }: Quote,
): Promise<boolean> {
  if (!protections.cancelsOnDisconnect(makerId)) return false
  const live = await book.findQuote(quoteId)
  // Last, so that nothing is waited for between it and the question.
  const graceEnd = await protections.graceEnd(makerId)
  return live === null || (graceEnd !== null && clock.now() >= graceEnd)
}

/** What its maker's protections hold back must not stand on top: those of its other requests are withdrawn where they hold. */
async function withdrawProtected(context: Context, { requestId, makerId, quoteId }: Quote): Promise<void> {
  if ((await context.book.remove(requestId, quoteId)) !== 'removed') return
  record(context, requestId, { kind: 'quote_withdrawn', makerId, quoteId })
}

const UNREACHABLE = { code: 'maker_unreachable', message: 'The maker has no open WebSocket.' }

/** Notes why a maker is not asked, and answers so. */
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

async function createAcceptance(
  context: Pick<Context, 'chain' | 'clock' | 'ids' | 'settings'>,
  request: QuoteRequest,
  { quote, taker, nonce, confirmationMs }: AskTerms & { quote: Quote; nonce: number },
): Promise<Acceptance> {
  const { chain, clock, ids, settings } = context
  // Taken before the chain's time: a slow answer shortens the maker's time to sign, and never the taker's time to fill.
  const createdAt = clock.now()
  const terms = {
    // The time that was just read for this candidate; no older than its wait for the maker's socket.
    chainTime: await chain.time('cached'),
    // Whatever the maker has: the taker has the same time to fill every order of a commit.
    confirmationMs: settings.makerConfirmationMs,
    validityMs: settings.orderValidityMs,
    expiry: seriesTermsOf(request).expiry,
  }
  const signingMs = signingTimeMs(terms)
  if (signingMs === null) {
    throw new RfqError('request_expired', { detail: 'The option expires too soon to sign and fill an order.' })
  }
  return {
    acceptanceId: ids.uuid(),
    requestId: request.requestId,
    quoteId: quote.quoteId,
    makerId: quote.makerId,
    option: request.option,
    quote,
    order: buildOrder({ request, quote, taker, validUntil: orderValidUntil(terms), nonce }),
    domain: orderDomain(chain.environment.chainId, chain.environment.settlementAddress),
    createdAt,
    deadline: createdAt + Math.min(confirmationMs, signingMs),
    state: 'pending',
  }
}

async function whyNotHeld({ book }: Pick<Context, 'book'>, requestId: string): Promise<MakerAnswer> {
  const live = await book.find(requestId)
  if (live === null || live.status !== 'open') return { kind: 'closed' }
  if (live.signing !== null) throw new RfqError('commit_in_progress')
  return { kind: 'changed' }
}

/**
 * Whether a maker without a socket gets one within the grace (decision C5). It is looked for at once, since it may have come
 * while the funds were read.
 */
async function appears(
  { presence, clock, settings, protections }: Pick<Context, 'presence' | 'clock' | 'settings' | 'protections'>,
  makerId: string,
): Promise<boolean> {
  // One that cancels on disconnect is waited for no longer than it allows.
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

const isSameOffer = (a: Quote, b: Quote): boolean =>
  a.price === b.price && a.size === b.size && a.maker === b.maker && a.expiresAt === b.expiresAt
