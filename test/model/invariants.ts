import { expect } from 'vitest'
import type { Quote } from '../../src/domain/quote.ts'
import { DEMOTION, TAKER } from '../support/test-relay.ts'
import type { ModelStream } from './connections.ts'
import { signerOf } from './makers.ts'
import { missesOf, type Trace } from './trace.ts'
import type { World } from './world.ts'

/** What holds after every step, whoever is still waiting for an answer (invariants V1 to V9). */
export async function checkAlways(world: World): Promise<void> {
  const { trace, streams, presence } = world
  expect(trace.faults, 'nothing but refusals is thrown').toEqual([])
  expect(trace.overlaps, 'V1: one acceptance at a time').toEqual([])
  checkRevealedOrders(trace)
  expect(trace.askedLate, 'a maker is asked while its quote is live').toEqual([])
  expect(trace.overdrawn, 'no wallet promises more than it has').toEqual([])
  expect(trace.openAfterCancel, 'what was cancelled is found open by nobody').toEqual([])
  expect(repeated(trace.terminals.map(terminalKey)), 'V3: one terminal message a maker and request').toEqual([])
  expect(repeated(trace.ended.map(({ acceptanceId }) => acceptanceId)), 'V3: an acceptance ends once').toEqual([])
  const closings = trace.events.flatMap((event) => (event.kind === 'quote_request_expired' ? [event.requestId] : []))
  expect(repeated(closings), 'V4: a request closes once').toEqual([])
  checkNothingAfterClose(trace)
  expect(new Set(trace.attested.map(({ resolutionBps }) => resolutionBps)).size, 'V5: one resolution').toBeLessThan(2)
  expect(risingFaults(trace.events.map(({ id }) => id)), 'V6: ids rise').toEqual([])
  const live = [...streams.values()].filter(({ isLive }) => isLive)
  for (const stream of live) checkStream(stream, world)
  await checkBestQuotes(world)
  await checkHeld(world)
  expect(await presence.countStreams(), 'V9: makers connected').toBe(live.length)
  checkSecrets(world)
}

/** What holds when every answer has arrived. */
export async function checkQuiescent(world: World): Promise<void> {
  await checkAlways(world)
  const { trace, clock, log, requests, book, streams, sockets, keys } = world
  const errors = log.lines.filter(({ level }) => level === 'error')
  expect(errors, 'no background fault').toEqual([])
  for (const { requestId } of requests) {
    const top = await book.top(requestId)
    // A commit under way holds a request open beyond its time (fault C9): until it closes its quotes are counted, and the last best
    // one shown, though they have ended with it.
    if (top?.status !== 'open' || clock.now() >= top.request.expiresAt) continue
    expect(top.quoteCount, 'V7: the count of quotes').toBe(liveQuotes(world, requestId).length)
    const shown = trace.tops.filter((shown) => shown.requestId === requestId).at(-1)
    expect(shown, 'V7: what takers were shown last').toMatchObject({
      bestId: top.best?.quoteId ?? null,
      quoteCount: top.quoteCount,
    })
  }
  for (const maker of [...streams.keys(), ...sockets.keys()]) {
    expect(keys.get(maker), `${maker} is connected by a key (fault B6)`).not.toEqual([])
  }
}

/** What holds when all time is over. */
export async function checkFinal(world: World): Promise<void> {
  const { trace, requests, sockets } = world
  for (const acceptance of trace.accepted) {
    const endings = trace.ended.filter(({ acceptanceId }) => acceptanceId === acceptance.acceptanceId)
    expect(endings, 'V3: every acceptance ended').toHaveLength(1)
  }
  for (const { requestId } of requests) {
    const closed = trace.events.some((event) => event.kind === 'quote_request_expired' && event.requestId === requestId)
    const wasKilled = trace.overBefore.has(requestId)
    expect(closed || wasKilled, 'V4: every request closed').toBe(true)
    for (const makerId of trace.quoted.get(requestId) ?? []) {
      const terminals = trace.terminals.filter((t) => t.makerId === makerId && t.message.requestId === requestId)
      if (!wasKilled) expect(terminals, `V3: ${makerId} hears how the request ended`).toHaveLength(1)
      expect(await endingsOf(world, makerId, requestId), `${makerId} reads how the request ended (decision C10)`).toBe(
        1,
      )
    }
  }
  expect(await world.store.quoters.list(), 'nobody is still to be told (decision C10)').toEqual(new Map())
  for (const { accepted } of sockets.values()) {
    expect(repeated(accepted.map(({ acceptanceId }) => acceptanceId)), 'an order is sent once a connection').toEqual([])
  }
  checkSecrets(world)
}

async function endingsOf({ store }: World, makerId: string, requestId: string): Promise<number> {
  const outcomes = await store.history.list({ makerId, after: null, since: null, status: null, limit: 1_000 })
  return (outcomes ?? []).filter((outcome) => outcome.requestId === requestId).length
}

/** V1 and V2: one signed order a request, for the wallet that committed, with the integers of the quote. */
function checkRevealedOrders({ commits }: Trace): void {
  const revealed = new Map<string, string>()
  for (const { requestId, terms, commitment } of commits) {
    const { acceptance, signature, executionId, executedAt } = commitment.execution
    const { order, quote } = acceptance
    expect(revealed.get(requestId) ?? executionId, 'V1: one signed order').toBe(executionId)
    revealed.set(requestId, executionId)
    const wanted = order.makerSelling ? 100_000_000n / quote.price : 100n
    const filled = wanted < quote.size ? wanted : quote.size
    expect(order, 'V2: the order').toMatchObject({
      taker: terms.wallet,
      maker: quote.maker,
      optionAmount: filled,
      premiumAmount: filled * quote.price,
    })
    expect(signerOf(signature), 'V2: the maker signed').toBe(quote.maker)
    const lastFillMs = Math.min(order.validUntil * 1_000, acceptance.option.expiryMs)
    expect(lastFillMs - executedAt, 'V2: there was time to fill it').toBeGreaterThan(1_000)
    const worst = terms.limitPrice ?? quote.price
    const isWorse = order.makerSelling ? quote.price > worst : quote.price < worst
    expect(isWorse, 'V2: the order keeps within the limit of this very call').toBe(false)
  }
}

function checkNothingAfterClose({ tops }: Trace): void {
  const closed = new Set<string>()
  for (const { requestId, status } of tops) {
    expect(closed.has(requestId), 'V4: nothing comes after the end').toBe(false)
    if (status !== 'open') closed.add(requestId)
  }
}

/** V6: snapshot or replay, and then live: nothing is missed, nothing comes twice, and the reader knows what is open. */
function checkStream({ ids, from, since, open }: ModelStream, { trace, clock }: World): void {
  const { events, kills } = trace
  expect(risingFaults(ids), 'V6: ids rise on a connection').toEqual([])
  const published = events.map(({ id }) => id).filter((id) => id > from)
  expect(since, 'V6: replay and live are what was published').toEqual(published)
  const isOpen = new Set<string>()
  // A snapshot does not tell of what takes no quote any more, though it may not be closed.
  const isOver = new Set<string>()
  // What was open before a kill is announced again.
  for (const event of events.slice(kills.at(-1) ?? 0)) {
    if (event.kind !== 'quote_request') isOpen.delete(event.requestId)
    else if (clock.now() < event.request.expiresAt) isOpen.add(event.request.requestId)
    else isOver.add(event.request.requestId)
  }
  expect(new Set([...open].filter((id) => !isOver.has(id))), 'V6: the reader knows what is open').toEqual(isOpen)
}

/** V7, where nobody is signing: a miss counts before the quote is let go, and an ordering between the two would be none. */
async function checkBestQuotes(world: World): Promise<void> {
  for (const { requestId } of world.requests) {
    const top = await world.book.top(requestId)
    if (top?.status !== 'open' || top.confirming) continue
    expect(top.best?.quoteId ?? null, 'V7: the best quote').toBe(naiveBest(world, requestId))
  }
}

/** Who is asked to sign is held until its deadline, also over a kill (decision Q8). */
async function checkHeld({ store, book, clock }: World): Promise<void> {
  for (const { requestId, makerId, deadline } of await store.acceptances.pending()) {
    if (clock.now() >= deadline) continue
    const signing = (await book.find(requestId))?.signing
    expect(signing?.makerId, 'who was asked is held (decision Q8)').toBe(makerId)
  }
}

const liveQuotes = ({ trace, clock }: World, requestId: string): readonly Quote[] =>
  [...trace.quotes.values()].filter((quote) => quote.requestId === requestId && quote.expiresAt > clock.now())

/** The best live quote by a scan that knows nothing of ranks: each better one takes the place of the last. */
function naiveBest(world: World, requestId: string): string | null {
  let best: Quote | null = null
  for (const quote of liveQuotes(world, requestId)) {
    if (quote.maker !== TAKER && (best === null || beats(quote, best))) best = quote
  }
  return best?.quoteId ?? null

  function isDemoted({ makerId }: Quote): boolean {
    return (world.trace.streaks.get(makerId) ?? 0) >= DEMOTION.misses
  }

  function beats(a: Quote, b: Quote): boolean {
    const [demotedA, demotedB] = [isDemoted(a), isDemoted(b)]
    if (demotedA !== demotedB) return demotedB
    const [missesOfA, missesOfB] = [missesOf(world.trace, a), missesOf(world.trace, b)]
    if (missesOfA !== missesOfB) return missesOfA < missesOfB
    if (a.price !== b.price) return a.side === 'buy' ? a.price < b.price : a.price > b.price
    if (a.pricedAt !== b.pricedAt) return a.pricedAt < b.pricedAt
    return a.quoteId < b.quoteId
  }
}

/** V8: no key and no refused signature in the log, in the audit log, or in what anybody was told. */
function checkSecrets({ trace, log }: World): void {
  const { audit, commits, accepted, terminals, events, secrets } = trace
  const text = JSON.stringify([log.lines, audit, commits, accepted, terminals, events], asText)
  expect(
    secrets.filter((secret) => text.includes(secret)),
    'V8: no secret is stored or revealed',
  ).toEqual([])
}

const asText = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)

const terminalKey = ({ makerId, message }: Trace['terminals'][number]) => `${makerId}:${message.requestId}`

const repeated = (values: readonly string[]): string[] => values.filter((value, i) => values.indexOf(value) !== i)

/** The ids that do not rise above the one before. */
const risingFaults = (ids: readonly number[]): number[] => ids.filter((id, i) => i > 0 && id <= (ids[i - 1] as number))
