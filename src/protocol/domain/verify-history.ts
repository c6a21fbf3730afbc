import type { AuditEntry, SeenQuote } from './audit.ts'
import { compareQuotes } from './best-quote.ts'
import { type CommitTerms, nextCandidate } from './commit.ts'
import { buildOrder, type Order, orderDigest, orderDomain } from './order.ts'
import { type Quote, quoteOn } from './quote.ts'
import { onSide, type QuoteRequest, type Side } from './request.ts'
import type { Address } from './units.ts'

type Of<Kind extends AuditEntry['kind']> = Extract<AuditEntry, { kind: Kind }>

/** The nodes of a relay enter what they do at most this long apart, in milliseconds. */
const SLACK_MS = 2_000

/** Kinds of entries by which a commit is done with a maker. */
const DONE: readonly AuditEntry['kind'][] = ['passed_over', 'declined', 'missed', 'confirmed']

/** The outcome of a check: sentences for what is wrong, the quote that won, and what could not be compared. */
export type CheckedHistory = {
  problems: readonly string[]
  winner: { makerId: string; quoteId: string } | null
  /** Ranked quotes without an entry of their own, as a node that crashed leaves them behind. */
  unentered: number
  /** Quotes that a commit missed though no entry says why they had left: their makers can tell whether they had. */
  unexplained: number
  /** Whether the relay started again meanwhile: what it did before is compared as far as it is there. */
  isInterrupted: boolean
}

/**
 * Checks entries of one request, in their order, against the rules of a trade. `isWhole`: they are all that the log has, so that
 * each look of a commit can be repeated: ranks by `compareQuotes`, its choice by `nextCandidate`.
 */
export function checkHistory(input: {
  entries: readonly AuditEntry[]
  domain: { chainId: number; settlementAddress: Address } | null
  isWhole: boolean
}): CheckedHistory {
  const { domain, isWhole } = input
  // Several nodes may have entered them in another order; the clock of each never goes back.
  const entries = [...input.entries].sort((a, b) => a.at - b.at)
  const problems: string[] = []
  const all = <Kind extends AuditEntry['kind']>(kind: Kind) =>
    entries.filter((entry): entry is Of<Kind> => entry.kind === kind)
  const confirmed = all('confirmed')
  const [trade] = confirmed
  if (confirmed.length > 1) problems.push('More than one maker has signed.')
  for (const entry of confirmed) {
    const order = entry.order ?? all('asked').findLast(({ quoteId }) => quoteId === entry.quoteId)?.order
    problems.push(...checkHash(entry, order, domain))
  }
  if (domain !== null && !confirmed.some(({ orderHash }) => orderHash !== undefined))
    problems.push('The file has the domain of orders, and no order.')
  if (isWhole) problems.push(...checkWhole(entries))
  return {
    problems,
    winner: trade === undefined ? null : { makerId: trade.makerId, quoteId: trade.quoteId },
    unentered: isWhole ? countUnentered(all('ranked'), all('quoted')) : 0,
    unexplained: isWhole ? countUnexplained(entries) : 0,
    isInterrupted: all('reopened').length > 0,
  }
}

function countUnentered(looks: readonly Of<'ranked'>[], quoted: readonly Of<'quoted'>[]): number {
  const ranked = looks.flatMap(({ quotes }) => quotes)
  const unentered = ranked.filter((seen) => !quoted.some(({ quote }) => isSameOffer(quote, seen)))
  return new Set(unentered.map(({ quoteId }) => quoteId)).size
}

function countUnexplained(entries: readonly AuditEntry[]): number {
  const explained = entries.filter(({ kind }) => kind !== 'quote_absent')
  const unexplained = entries.flatMap((entry) =>
    entry.kind === 'quote_absent' && liveAt(explained, entry.at).has(entry.quoteId) ? [entry.quoteId] : [],
  )
  return new Set(unexplained).size
}

function checkHash(
  { orderHash }: Of<'confirmed'>,
  order: Order | undefined,
  domain: { chainId: number; settlementAddress: Address } | null,
): string[] {
  if (orderHash === undefined) return []
  if (domain === null || order === undefined) return ['The signed order is not in the file with its domain.']
  const digest = orderDigest(order, orderDomain(domain.chainId, domain.settlementAddress))
  return digest === orderHash ? [] : ['The hash of the signed order is not that of the order in the file.']
}

/** A commit of a request, with its looks at the book. */
type Commit = { terms: CommitTerms; at: number; seen: Of<'ranked'> | null }

function checkWhole(entries: readonly AuditEntry[]): string[] {
  const [opened, ...repeated] = entries.filter((entry): entry is Of<'opened'> => entry.kind === 'opened')
  if (opened === undefined || repeated.some((one) => !isSameOpening(one, opened)))
    return ['The request has no opening, or two that differ.']
  const problems: string[] = []
  const closed = entries.find((entry): entry is Of<'closed'> => entry.kind === 'closed')
  const isOmitting = (closed?.omitted ?? 0) > 0
  /** Entries before a restart may be lost. */
  const interruptedAt = entries.findLast(({ kind }) => kind === 'reopened')?.at ?? Number.NEGATIVE_INFINITY
  const mayLack = (at: number) => isOmitting || at <= interruptedAt
  const request = { ...opened.terms, seriesId: opened.seriesId }
  let commit: Commit | null = null

  function checkLook(entry: Of<'ranked'>, { terms, at }: Commit): void {
    const { quotes, chosen, hurriedLeft } = entry
    const ids = quotes.map(({ quoteId }) => quoteId)
    const ranked = [...quotes].sort(compareQuotes)
    if (ranked.some(({ quoteId }, place) => quoteId !== ids[place]) || new Set(ids).size !== ids.length)
      problems.push(`The quotes at ${timeOf(entry)} are not in the order of their ranks.`)
    const next = nextCandidate({
      request: onSide(request, sideOf(request, terms)),
      ranked,
      terms,
      considered: namesOf(quotes, 'isConsidered'),
      proven: namesOf(quotes, 'isProven'),
      hurriedLeft,
      now: entry.at,
    })
    if ((next.kind === 'ask' ? next.quote.quoteId : null) !== chosen)
      problems.push(`The commit at ${timeOf(entry)} did not turn to the quote that is next by the rules.`)
    if (isOmitting) return
    for (const quote of quotes) {
      if (hadOtherTerms(entries, quote, entry.at))
        problems.push(`The quote ${quote.quoteId} was ranked with terms that it never had.`)
      if (quote.isConsidered && !mayLack(at) && !wasDealtWith(entries, quote, at))
        problems.push(`The maker ${quote.makerId} was left out of the commit without a reason in the log.`)
    }
    for (const quoteId of liveAt(entries, entry.at))
      if (!ids.includes(quoteId))
        problems.push(`The live quote ${quoteId} was left out of the ranks at ${timeOf(entry)}.`)
  }

  function checkOrder(name: { makerId: string; quoteId: string }, order: Order, at: AuditEntry): void {
    const look = commit?.seen ?? null
    const quote = look?.quotes.find(({ makerId, quoteId }) => quoteId === name.quoteId && makerId === name.makerId)
    if (commit === null || look === null || quote === undefined || look.chosen !== name.quoteId) {
      if (!mayLack(at.at))
        problems.push(`The order at ${timeOf(at)} is not of the quote that the commit had turned to.`)
      return
    }
    const { validUntil, nonce } = order
    const expected = buildOrder({ request, quote, taker: commit.terms.wallet, validUntil, nonce })
    // The look that it is of may be lost.
    if (!isSameOrder(expected, order) && !mayLack(at.at))
      problems.push(`The order at ${timeOf(at)} has other amounts or parties than its quote and its commit.`)
  }

  const asked = new Map<string, Of<'asked'>>()
  for (const entry of entries) {
    if (entry.kind === 'commit_started') commit = { terms: entry.terms, at: entry.at, seen: null }
    if (entry.kind === 'ranked') {
      if (commit !== null) {
        checkLook(entry, commit)
        commit = { ...commit, seen: entry }
      } else if (!mayLack(entry.at)) problems.push(`The look at the quotes at ${timeOf(entry)} is of no commit.`)
    }
    if (entry.kind === 'asked') {
      // It may be entered again after a crash; another commit that asks for the same order has another deadline.
      const former = asked.get(entry.quoteId)
      const isRepeated = former?.deadline === entry.deadline && isSameOrder(former.order, entry.order)
      if (!isRepeated) checkOrder(entry, entry.order, entry)
      if (entry.deadline <= entry.at) problems.push(`The order at ${timeOf(entry)} left its maker no time.`)
      asked.set(entry.quoteId, entry)
    }
    if (entry.kind === 'confirmed') {
      const asking = asked.get(entry.quoteId) ?? askSoonAfter(entries, entry)
      const question = asking?.makerId === entry.makerId ? asking : undefined
      if (question === undefined && entry.order === undefined) problems.push('The maker that signed was never asked.')
      if (entry.order !== undefined && !isSameOrder(question?.order, entry.order)) checkOrder(entry, entry.order, entry)
      if (question !== undefined && entry.at > question.deadline + SLACK_MS)
        problems.push('The signature counted after its deadline.')
    }
  }
  const hasTrade = entries.some(({ kind }) => kind === 'confirmed')
  if (closed !== undefined && (closed.status === 'committed') !== hasTrade)
    problems.push(hasTrade ? 'A request with a trade ended without one.' : 'A request without a trade ended with one.')
  return problems
}

const timeOf = ({ at }: { at: number }): string => new Date(at).toISOString()

const isSameOrder = (a: Order | undefined, b: Order): boolean =>
  a !== undefined &&
  (Object.keys(b) as (keyof Order)[]).every(
    (field) => String(a[field]).toLowerCase() === String(b[field]).toLowerCase(),
  )

const namesOf = (quotes: readonly SeenQuote[], fact: 'isConsidered' | 'isProven'): ReadonlySet<string> =>
  new Set(quotes.filter((quote) => quote[fact]).map(({ makerId }) => makerId))

/** Another node may have asked, and been slower to enter it than the maker was to sign. */
const askSoonAfter = (entries: readonly AuditEntry[], { quoteId, at }: Of<'confirmed'>): Of<'asked'> | undefined =>
  entries.find(
    (entry): entry is Of<'asked'> =>
      entry.kind === 'asked' && entry.quoteId === quoteId && entry.at >= at && entry.at <= at + SLACK_MS,
  )

/** The opening may be entered again after a crash. */
const isSameOpening = (a: Of<'opened'>, b: Of<'opened'>): boolean =>
  a.seriesId === b.seriesId && a.expiresAt === b.expiresAt && textOf(a.terms) === textOf(b.terms)

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part))

/**
 * A quote without an entry may be lost with the node that heard it, or beyond that node's room: it is counted, and no fault, unless
 * an entry has another price of that time, or had a newer one well before the look.
 */
function hadOtherTerms(entries: readonly AuditEntry[], seen: Quote, moment: number): boolean {
  const offers = entries.filter(
    (entry): entry is Of<'quoted'> => entry.kind === 'quoted' && entry.quote.quoteId === seen.quoteId,
  )
  if (offers.some(({ quote }) => isSameOffer(quote, seen))) return false
  return offers.some(({ quote, at }) =>
    quote.pricedAt === seen.pricedAt || quote.makerId !== seen.makerId || quote.maker !== seen.maker
      ? !isSameOffer({ ...quote, size: seen.size, expiresAt: seen.expiresAt }, seen)
      : quote.pricedAt > seen.pricedAt && at < moment - SLACK_MS,
  )
}

/** A commit without a side, of a request that asks for both, is no one's that the relay takes: any reading shows it. */
const sideOf = ({ trade }: Pick<QuoteRequest, 'trade'>, { side }: CommitTerms): Side =>
  trade.side === 'both' ? (side ?? 'buy') : trade.side

const isSameOffer = (offer: Quote, b: Quote): boolean => isSame(quoteOn(offer, b.side), b)

const isSame = (a: Quote, b: Quote): boolean =>
  a.quoteId === b.quoteId &&
  a.makerId === b.makerId &&
  a.maker === b.maker &&
  a.side === b.side &&
  a.price === b.price &&
  a.otherPrice === b.otherPrice &&
  a.size === b.size &&
  a.pricedAt === b.pricedAt &&
  a.expiresAt === b.expiresAt

const wasDealtWith = (entries: readonly AuditEntry[], { makerId }: SeenQuote, since: number): boolean =>
  entries.some(
    (entry) =>
      DONE.includes(entry.kind) && 'makerId' in entry && entry.makerId === makerId && entry.at >= since - SLACK_MS,
  )

const isDeparture = (entry: AuditEntry) =>
  entry.kind === 'quote_withdrawn' ||
  entry.kind === 'quote_dropped' ||
  entry.kind === 'quote_expired' ||
  entry.kind === 'quote_absent'

/** Quotes that were live at a moment beyond doubt: made well before, lasting well after, and not withdrawn or refused since. */
function liveAt(entries: readonly AuditEntry[], moment: number): ReadonlySet<string> {
  const live = new Map<string, Quote>()
  for (const entry of entries) {
    if (entry.at > moment + SLACK_MS) break
    if (entry.kind === 'quoted') live.set(entry.quote.quoteId, entry.quote)
    if (isDeparture(entry)) live.delete(entry.quoteId)
    // A maker that cannot pay for its new quote loses its old one, too.
    if (entry.kind === 'quote_refused')
      for (const { quoteId, makerId } of live.values()) if (makerId === entry.makerId) live.delete(quoteId)
    // A relay that starts again has lost them, and their makers quote again.
    if (entry.kind === 'reopened') live.clear()
  }
  const isBeyondDoubt = ({ pricedAt, expiresAt }: Quote) =>
    pricedAt < moment - SLACK_MS && expiresAt > moment + SLACK_MS
  return new Set([...live.values()].filter(isBeyondDoubt).map(({ quoteId }) => quoteId))
}
