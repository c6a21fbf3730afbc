import { expect } from 'vitest'
import type { Quote } from '../../src/domain/quote.ts'
import { CALL_BUY, TAKER } from '../support/relay-house.ts'
import { signatureOf, type World } from './world.ts'

/** What holds after every step, whoever is still waiting for an answer. */
export function checkAlways({ trace }: World): void {
  expect(trace.faults, 'nothing but refusals is thrown').toEqual([])
  expect(trace.overlaps, 'V1: one acceptance at a time').toEqual([])
  checkRevealedOrders(trace)
  const ids = trace.events.map(({ id }) => id)
  expect(ids, 'V6: ids rise').toEqual([...new Set(ids)].sort((a, b) => a - b))
  expect(repeated(trace.terminals.map(terminalKey)), 'V3: one terminal message a maker and request').toEqual([])
  expect(repeated(trace.ended.map(({ acceptanceId }) => acceptanceId)), 'V3: an acceptance ends once').toEqual([])
  const closings = trace.events.flatMap((event) => (event.kind === 'quote_request_expired' ? [event.requestId] : []))
  expect(repeated(closings), 'V4: a request closes once').toEqual([])
  checkNothingAfterClose(trace)
}

/** What holds when every answer has arrived and no maker is signing. */
export async function checkQuiescent(world: World): Promise<void> {
  checkAlways(world)
  expect(
    world.log.lines.filter(({ level }) => level === 'error'),
    'no background fault',
  ).toEqual([])
  for (const { requestId } of world.requests) {
    const top = await world.book.top(requestId)
    if (top?.status !== 'open' || top.confirming) continue
    expect(top.best?.quoteId ?? null, 'V7: the best quote').toBe(naiveBest(world, requestId))
  }
  const reads = world.relay.openRequest({ ...CALL_BUY, locked: false })
  await world.drain()
  expect((await reads).makersConnected, 'V9: makers connected').toBe(world.streams.size)
}

/** What holds when all time is over. */
export function checkFinal({ trace, requests, sockets }: World): void {
  for (const acceptance of trace.accepted) {
    const endings = trace.ended.filter(({ acceptanceId }) => acceptanceId === acceptance.acceptanceId)
    expect(endings, 'V3: every acceptance ended').toHaveLength(1)
  }
  for (const { requestId } of requests) {
    const closed = trace.events.some((event) => event.kind === 'quote_request_expired' && event.requestId === requestId)
    expect(closed, 'V4: every request closed').toBe(true)
    for (const makerId of trace.quoted.get(requestId) ?? []) {
      const terminals = trace.terminals.filter((t) => t.makerId === makerId && t.message.requestId === requestId)
      expect(terminals, `V3: ${makerId} hears how the request ended`).toHaveLength(1)
    }
  }
  for (const { accepted } of sockets.values()) {
    expect(repeated(accepted.map(({ acceptanceId }) => acceptanceId)), 'an order is sent once a connection').toEqual([])
  }
}

/** V1 and V2: one signed order a request, for the wallet that committed, with the integers of the quote. */
function checkRevealedOrders(trace: World['trace']): void {
  const revealed = new Map<string, string>()
  for (const { requestId, wallet, commitment } of trace.commits) {
    const { acceptance, signature, executionId, executedAt } = commitment.execution
    const { order, quote } = acceptance
    expect(revealed.get(requestId) ?? executionId, 'V1: one signed order').toBe(executionId)
    revealed.set(requestId, executionId)
    const wanted = order.makerSelling ? 100_000_000n / quote.price : 100n
    const filled = wanted < quote.size ? wanted : quote.size
    expect(order, 'V2: the order').toMatchObject({
      taker: wallet,
      maker: quote.maker,
      optionAmount: filled,
      premiumAmount: filled * quote.price,
    })
    expect(signature, 'V2: the maker signed').toBe(signatureOf(quote.makerId as 'ada'))
    expect(order.validUntil * 1_000, 'V2: it could be filled').toBeGreaterThan(executedAt)
  }
}

function checkNothingAfterClose({ tops }: World['trace']): void {
  const closed = new Set<string>()
  for (const { requestId, status } of tops) {
    expect(closed.has(requestId), 'V4: nothing comes after the end').toBe(false)
    if (status !== 'open') closed.add(requestId)
  }
}

/** The best live quote by a scan that knows nothing of ranks: each better one takes the place of the last. */
function naiveBest({ trace, clock }: World, requestId: string): string | null {
  let best: Quote | null = null
  const missesOf = ({ makerId }: Quote) => trace.misses.get(`${requestId}:${makerId}`) ?? 0
  for (const quote of trace.quotes.values()) {
    if (quote.requestId !== requestId || quote.expiresAt <= clock.now() || quote.maker === TAKER) continue
    if (best === null || beats(quote, best)) best = quote
  }
  return best?.quoteId ?? null

  function beats(a: Quote, b: Quote): boolean {
    if (missesOf(a) !== missesOf(b)) return missesOf(a) < missesOf(b)
    if (a.price !== b.price) return a.side === 'buy' ? a.price < b.price : a.price > b.price
    if (a.pricedAt !== b.pricedAt) return a.pricedAt < b.pricedAt
    return a.quoteId < b.quoteId
  }
}

const terminalKey = ({ makerId, message }: World['trace']['terminals'][number]) => `${makerId}:${message.requestId}`

const repeated = (values: readonly string[]): string[] => values.filter((value, i) => values.indexOf(value) !== i)
