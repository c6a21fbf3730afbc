import { describe, expect, test } from 'vitest'
import { ClientSetupError, RelayError } from '../../src/client/errors.ts'
import { createTakerClient } from '../../src/client/taker.ts'
import type { TakerRequest } from '../../src/client/taker-client.ts'
import type { Quote } from '../../src/protocol/domain/quote.ts'
import type { RequestStatus } from '../../src/protocol/domain/request.ts'
import { seriesTermsOf } from '../../src/protocol/domain/request.ts'
import { seriesIdOf } from '../../src/protocol/domain/series.ts'
import { contracts, usd6 } from '../../src/protocol/domain/units.ts'
import { encodePoll } from '../../src/protocol/wire/best-quote.ts'
import { encodeCommitment } from '../../src/protocol/wire/commit.ts'
import { encodeSseFrame } from '../../src/protocol/wire/sse.ts'
import { bestQuoteFrame, closedFrame, openedFrame } from '../../src/protocol/wire/taker-stream.ts'
import { eventually } from '../kit/eventually.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { startFakeServer } from './fake-server.ts'
import { BUY, CHAIN, DOMAIN, NOW, offerOf, orderOf, sign, TAKER, termsOf } from './trade-fixture.ts'

const REQUEST: TakerRequest = {
  requestId: 'request-1',
  takerSecret: 'sesame',
  expiresAt: NOW + 300_000,
  makersConnected: 3,
  seriesId: seriesIdOf(seriesTermsOf(termsOf(BUY))),
  seriesListed: true,
  terms: termsOf(BUY),
}

const QUOTE: Quote = {
  ...offerOf(BUY).quote,
  quoteId: 'quote-1',
  requestId: 'request-1',
  makerId: 'maker-1',
  pricedAt: NOW,
  expiresAt: NOW + 60_000,
}

const top = (best: Quote | null, bookSeq: number, status: RequestStatus = 'open') => ({
  request: REQUEST.terms,
  status,
  confirming: false,
  best,
  quoteCount: best === null ? 0 : 1,
  bookSeq,
})

async function setUp() {
  const server = await startFakeServer()
  const clock = createFakeClock(NOW)
  const taker = createTakerClient({
    url: server.url,
    account: TAKER.address,
    chain: CHAIN,
    timing: { clock, random: () => 0.5 },
  })
  return { server, clock, taker }
}

/** The relay's answer to a commit to `QUOTE`. */
async function commitAnswer() {
  const order = orderOf(offerOf(BUY))
  const acceptance = {
    requestId: 'request-1',
    quoteId: 'quote-1',
    makerId: 'maker-1',
    quote: QUOTE,
    order,
    domain: DOMAIN,
  }
  const execution = { executionId: 'execution-1', executedAt: NOW, signature: await sign(order), acceptance }
  const approval = { spender: 'settlement', amount: order.premiumAmount, reason: 'premium' } as const
  return encodeCommitment({ mode: 'onchain', execution, approval }, CHAIN)
}

describe('opening a request', () => {
  test('always locks it, tells makers nothing of the wallet, and keeps its terms beside its secret', async () => {
    const { server, taker } = await setUp()
    const { conditionId, yesTokenId } = REQUEST.terms.market
    const { option, trade } = REQUEST.terms
    const opened = taker.openQuoteRequest({ market: { conditionId, yesTokenId }, option, trade })
    const call = await server.nextCall()
    const { requestId, takerSecret, makersConnected, seriesId, seriesListed } = REQUEST
    const expiresAt = new Date(REQUEST.expiresAt).toISOString()
    call.answer(200, { success: true, requestId, takerSecret, makersConnected, seriesId, seriesListed, expiresAt })
    expect(await opened).toEqual(REQUEST)
    expect(call).toMatchObject({
      method: 'POST',
      path: '/quote-requests',
      body: { locked: true, wallet: null, trade: { side: 'buy', budgetUsd: 100 }, option: { strikeBps: 4_500 } },
    })
  })
})

describe('opening a request and seeing its quotes on one call', () => {
  const { market, option, trade } = REQUEST.terms
  const answer = () => {
    const { terms, expiresAt, ...opened } = REQUEST
    return { success: true, ...opened, expiresAt: new Date(expiresAt).toISOString() } as const
  }
  const polled = () => encodePoll({ ...top(QUOTE, 1), bestForSize: QUOTE, orderStanding: null }, NOW)

  test('waits for so many makers, or so long', async () => {
    const { server, clock, taker } = await setUp()
    const opening = taker.openForQuotes({ market, option, trade, quotes: 3, waitMs: 20_000 })
    const call = await server.nextCall()
    expect(call).toMatchObject({
      method: 'POST',
      path: '/quote-requests?waitMs=20000&quotes=3',
      body: { locked: true },
    })
    // No sooner than the relay answers.
    await clock.advance(34_000)
    call.answer(200, { ...answer(), ...polled() })
    const { request, book } = await opening
    expect(request).toEqual(REQUEST)
    expect(book).toMatchObject({
      quoteCount: 1,
      bestQuote: { quoteId: 'quote-1' },
      bestForSize: { quoteId: 'quote-1' },
    })
  })

  test('asks again with the same id after a lost answer', async () => {
    const { server, clock, taker } = await setUp()
    const opening = taker.openForQuotes({ market, option, trade })
    const first = await server.nextCall()
    expect(first.path).toBe('/quote-requests?waitMs=30000')
    first.cut()
    await eventually(() => clock.pending() === 1)
    await clock.advance(1_600)
    const second = await server.nextCall()
    expect(second.body).toEqual(first.body)
    second.answer(200, { ...answer(), ...polled() })
    expect((await opening).request).toEqual(REQUEST)
  })

  test('looks once at a relay that is too old to wait', async () => {
    const { server, taker } = await setUp()
    const opening = taker.openForQuotes({ market, option, trade, quotes: 1, waitMs: 0 })
    ;(await server.nextCall()).answer(200, answer())
    const poll = await server.nextCall()
    expect(poll).toMatchObject({ path: '/quote-requests/request-1/quotes', headers: { 'x-taker-secret': 'sesame' } })
    poll.answer(200, polled())
    expect((await opening).book).toMatchObject({ quoteCount: 1 })
  })

  const frames = (...tops: ReturnType<typeof top>[]) => tops.map((one) => encodeSseFrame(bestQuoteFrame(one))).join('')

  test('streams on the call, and on others once it is lost', async () => {
    const { server, clock, taker } = await setUp()
    const seen = taker.openAndWatch({ market, option, trade })
    const first = seen.next()
    const call = await server.nextCall()
    expect(call).toMatchObject({ method: 'POST', path: '/quote-requests', headers: { accept: 'text/event-stream' } })
    const stream = call.stream()
    stream.write(`${encodeSseFrame(openedFrame(answer()))}${frames(top(null, 1))}`)
    expect((await first).value).toMatchObject({ request: REQUEST, book: { bestQuote: null } })
    stream.end()
    const second = seen.next()
    await eventually(() => clock.pending() > 0)
    await clock.advance(5_000)
    const again = await server.nextCall()
    expect(again).toMatchObject({ path: '/quote-requests/request-1/stream', headers: { 'x-taker-secret': 'sesame' } })
    again.stream().write(`${frames(top(QUOTE, 2))}${encodeSseFrame(closedFrame('request-1'))}`)
    expect((await second).value).toMatchObject({ request: REQUEST, book: { quoteCount: 1 } })
    expect((await seen.next()).done).toBe(true)
  })

  test('opens no second request where the stream is lost before it tells of the first', async () => {
    const { server, clock, taker } = await setUp()
    const seen = taker.openAndWatch({ market, option, trade })
    const first = seen.next()
    const call = await server.nextCall()
    call.stream().end()
    await eventually(() => clock.pending() > 0)
    await clock.advance(5_000)
    const again = await server.nextCall()
    expect(again).toMatchObject({ method: 'POST', body: call.body })
    again.stream().write(`${encodeSseFrame(openedFrame(answer()))}${frames(top(null, 1))}`)
    expect((await first).value).toMatchObject({ request: REQUEST })
    await seen.return(undefined)
  })

  test.each([400, 429, 503])('does not ask again once it was refused by %i', async (status) => {
    const { server, taker } = await setUp()
    const first = taker.openAndWatch({ market, option, trade }).next()
    ;(await server.nextCall()).answer(status, { success: false, error: 'No.', code: 'overloaded' })
    await expect(first).rejects.toMatchObject({ code: 'overloaded' })
    expect(server.calls).toHaveLength(1)
  })

  test('watches by a second call at a relay that is too old to stream', async () => {
    const { server, taker } = await setUp()
    const seen = taker.openAndWatch({ market, option, trade })
    const first = seen.next()
    const call = await server.nextCall()
    call.answer(200, answer())
    const again = await server.nextCall()
    expect(again).toMatchObject({ path: '/quote-requests', body: call.body })
    again.answer(200, answer())
    const watching = await server.nextCall()
    expect(watching.path).toBe('/quote-requests/request-1/stream')
    watching.stream().write(frames(top(QUOTE, 1)))
    expect((await first).value).toMatchObject({ request: REQUEST, book: { quoteCount: 1 } })
    await seen.return(undefined)
  })
})

describe('opening a request whose answer is lost', () => {
  const open = (taker: Awaited<ReturnType<typeof setUp>>['taker'], clientRequestId?: string) => {
    const { market, option, trade } = REQUEST.terms
    return taker.openQuoteRequest({
      market,
      option,
      trade,
      ...(clientRequestId === undefined ? {} : { clientRequestId }),
    })
  }
  const opened = () => {
    const { terms, expiresAt, ...answer } = REQUEST
    return { success: true, ...answer, expiresAt: new Date(expiresAt).toISOString() }
  }
  const nameOf = ({ body }: { body: unknown }) => (body as { clientRequestId: string }).clientRequestId

  test('is sent again, the same, and opens one request', async () => {
    const { server, clock, taker } = await setUp()
    const opening = open(taker)
    const first = await server.nextCall()
    first.cut()
    await eventually(() => clock.pending() === 1)
    await clock.advance(1_600)
    const second = await server.nextCall()
    expect(second.body).toEqual(first.body)
    expect(nameOf(first)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    second.answer(200, opened())
    expect(await opening).toEqual(REQUEST)
  })

  test('is not sent again once it was refused, nor without end', async () => {
    const { server, clock, taker } = await setUp()
    const refused = open(taker).catch((error: unknown) => error)
    ;(await server.nextCall()).answer(409, { success: false, error: 'Other terms.', code: 'client_request_id_reused' })
    expect(await refused).toMatchObject({ code: 'client_request_id_reused' })
    expect(server.calls).toHaveLength(1)
    const lost = open(taker).catch((error: unknown) => error)
    const call = await server.nextCall()
    await clock.advance(14_000)
    call.cut()
    await eventually(() => clock.pending() === 1)
    await clock.advance(6_000)
    ;(await server.nextCall()).cut()
    expect(await lost).toMatchObject({ code: 'unreachable' })
  })

  test('is named by a program that wants to ask again later, and each other call by itself', async () => {
    const { server, taker } = await setUp()
    const names: string[] = []
    for (const own of ['1f0e8d6c-5b4a-4c3d-9e2f-7a6b5c4d3e2f', undefined, undefined]) {
      const opening = open(taker, own)
      const call = await server.nextCall()
      names.push(nameOf(call))
      call.answer(200, opened())
      await opening
    }
    expect(names[0]).toBe('1f0e8d6c-5b4a-4c3d-9e2f-7a6b5c4d3e2f')
    expect(new Set(names).size).toBe(3)
  })
})

describe('a taker’s poll', () => {
  test('shows the best quote exactly, and carries the secret in a header only', async () => {
    const { server, taker } = await setUp()
    const polled = taker.getBestQuote({ request: REQUEST })
    const call = await server.nextCall()
    call.answer(200, encodePoll({ ...top(QUOTE, 4), bestForSize: QUOTE, orderStanding: null }, NOW))
    expect((await polled).bestQuote).toMatchObject({
      price: 120_000n,
      size: 500n,
      fillContracts: 500n,
      expiresInMs: 60_000,
    })
    expect(call.path).toBe('/quote-requests/request-1/quotes')
    expect(call.headers['x-taker-secret']).toBe('sesame')
  })
})

describe('watching a request', () => {
  test('yields each best quote until it is closed', async () => {
    const { server, taker } = await setUp()
    const seqs: number[] = []
    const watching = (async () => {
      for await (const { bookSeq } of taker.watchBestQuote({ request: REQUEST })) seqs.push(bookSeq)
    })()
    const call = await server.nextCall()
    const stream = call.stream()
    for (const seq of [1, 2, 3]) stream.write(encodeSseFrame(bestQuoteFrame(top(QUOTE, seq))))
    stream.write(encodeSseFrame(closedFrame('request-1')))
    await watching
    await stream.closed
    expect(seqs).toEqual([1, 2, 3])
    expect(call.headers['x-taker-secret']).toBe('sesame')
  })

  test('continues after a lost connection, and ends when the request was closed meanwhile', async () => {
    const { server, clock, taker } = await setUp()
    const states: string[] = []
    const seqs: number[] = []
    const watching = (async () => {
      const onConnectionState = ({ kind }: { kind: string }) => states.push(kind)
      for await (const { bookSeq } of taker.watchBestQuote({ request: REQUEST, onConnectionState })) seqs.push(bookSeq)
    })()
    const first = (await server.nextCall()).stream()
    first.write(encodeSseFrame(bestQuoteFrame(top(QUOTE, 1))))
    await eventually(() => seqs.length === 1)
    first.end()
    await eventually(() => states.at(-1) === 'lost' && clock.pending() === 1)
    await clock.advance(75)
    const second = (await server.nextCall()).stream()
    second.write(encodeSseFrame(bestQuoteFrame(top(null, 2))))
    await eventually(() => seqs.length === 2)
    second.end()
    await eventually(() => states.filter((kind) => kind === 'lost').length === 2 && clock.pending() === 1)
    await clock.advance(150)
    ;(await server.nextCall()).answer(404, { success: false, error: 'Closed.', code: 'request_closed' })
    await watching
    expect(seqs).toEqual([1, 2])
  })

  test('rejects for a request that the relay never knew', async () => {
    const { server, taker } = await setUp()
    const first = taker.watchBestQuote({ request: REQUEST }).next()
    ;(await server.nextCall()).answer(404, { success: false, error: 'Unknown.', code: 'request_not_found' })
    await expect(first).rejects.toMatchObject({ code: 'request_not_found' })
  })

  test('passes over events that it cannot read, and says so', async () => {
    const { server, taker } = await setUp()
    const states: { kind: string }[] = []
    const first = taker.watchBestQuote({ request: REQUEST, onConnectionState: (state) => states.push(state) }).next()
    const stream = (await server.nextCall()).stream()
    stream.write('event: best_quote\ndata: {"bestQuote":{"price":"0.1"}}\n\nevent: news\ndata: {}\n\n')
    stream.write(encodeSseFrame(bestQuoteFrame(top(QUOTE, 9))))
    expect((await first).value).toMatchObject({ bookSeq: 9 })
    expect(states.map(({ kind }) => kind)).toEqual(['open', 'unreadable'])
  })
})

describe('a commit', () => {
  test('insists on the price shown and half of the options shown', async () => {
    const { server, taker } = await setUp()
    const shown = { ...QUOTE, fillContracts: contracts(500n), expiresInMs: 1_000 }
    const committed = taker.commitToBestQuote({ request: REQUEST, shown })
    const call = await server.nextCall()
    call.answer(200, await commitAnswer())
    const commitment = await committed
    expect(call.body).toEqual({
      wallet: TAKER.address,
      limitPrice: 0.12,
      minContracts: 250,
      expectedQuoteId: null,
    })
    expect(call.headers['x-taker-secret']).toBe('sesame')
    expect(commitment).toMatchObject({
      mode: 'onchain',
      onchain: { order: { optionAmount: 500n, premiumAmount: 60_000_000n }, takerApproval: { amount: 60_000_000n } },
      protections: { limitPrice: 120_000n, minContracts: 250n },
    })
  })

  test('asks for the best price first when it was shown none', async () => {
    const { server, taker } = await setUp()
    const committed = taker.commitToBestQuote({ request: REQUEST })
    ;(await server.nextCall()).answer(
      200,
      encodePoll({ ...top({ ...QUOTE, price: usd6(110_000n) }, 4), bestForSize: null, orderStanding: null }, NOW),
    )
    const call = await server.nextCall()
    call.answer(200, await commitAnswer())
    await committed
    expect(call.body).toMatchObject({ limitPrice: 0.11, minContracts: 250 })
  })

  test('goes by the best price for half of the size where the best one fills next to nothing', async () => {
    const { server, taker } = await setUp()
    const committed = taker.commitToBestQuote({ request: REQUEST })
    const small = { ...QUOTE, price: usd6(100n), size: contracts(1n) }
    ;(await server.nextCall()).answer(
      200,
      encodePoll({ ...top(small, 4), bestForSize: QUOTE, orderStanding: null }, NOW),
    )
    const call = await server.nextCall()
    call.answer(200, await commitAnswer())
    await committed
    expect(call.body).toMatchObject({ limitPrice: 0.12, minContracts: 250 })
  })

  test('is not sent when there is nothing to commit to', async () => {
    const { server, taker } = await setUp()
    const committed = taker.commitToBestQuote({ request: REQUEST }).catch((error: unknown) => error)
    ;(await server.nextCall()).answer(200, encodePoll({ ...top(null, 4), bestForSize: null, orderStanding: null }, NOW))
    expect(await committed).toMatchObject({ code: 'no_valid_quotes' })
    expect(server.calls).toHaveLength(1)
  })

  test('sends the taker’s own protections as they are', async () => {
    const { server, taker } = await setUp()
    const committed = taker.commitToBestQuote({
      request: REQUEST,
      limitPrice: usd6(130_000n),
      minContracts: null,
      expectedQuoteId: 'quote-1',
    })
    const call = await server.nextCall()
    call.answer(200, await commitAnswer())
    await committed
    expect(call.body).toMatchObject({ limitPrice: 0.13, minContracts: null, expectedQuoteId: 'quote-1' })
  })

  test('is sent again, the same, when the connection is lost, and gets the one order', async () => {
    const { server, clock, taker } = await setUp()
    const committed = taker.commitToBestQuote({ request: REQUEST, limitPrice: usd6(130_000n), minContracts: null })
    const first = await server.nextCall()
    first.cut()
    await eventually(() => clock.pending() === 1)
    await clock.advance(75)
    const second = await server.nextCall()
    second.answer(502, '<html>Bad gateway</html>')
    await eventually(() => clock.pending() === 1)
    await clock.advance(150)
    const third = await server.nextCall()
    expect(third.body).toEqual(first.body)
    third.answer(200, await commitAnswer())
    expect(await committed).toMatchObject({ execution: { executionId: 'execution-1' } })
  })

  test('is not sent again when a relay says no, even one that says to retry', async () => {
    const { server, taker } = await setUp()
    const committed = taker.commitToBestQuote({ request: REQUEST, limitPrice: null, minContracts: null })
    ;(await server.nextCall()).answer(503, {
      success: false,
      error: 'Nobody.',
      code: 'no_maker_confirmed',
      retryable: true,
    })
    await expect(committed).rejects.toMatchObject({ code: 'no_maker_confirmed', retryable: true })
    expect(server.calls).toHaveLength(1)
  })

  test('is joined again when its answer takes longer than a minute, and given up after two', async () => {
    const { server, clock, taker } = await setUp()
    const committed = taker
      .commitToBestQuote({ request: REQUEST, limitPrice: null, minContracts: null })
      .catch((error: unknown) => error)
    await server.nextCall()
    await clock.advance(60_000)
    await eventually(() => clock.pending() === 1)
    await clock.advance(75)
    await server.nextCall()
    await clock.advance(60_000)
    expect(await committed).toMatchObject({ name: 'RelayUnreachableError' })
  })

  test('ends with the signal’s reason', async () => {
    const { server, clock, taker } = await setUp()
    const abort = new AbortController()
    const committed = taker
      .commitToBestQuote({ request: REQUEST, limitPrice: null, minContracts: null, signal: abort.signal })
      .catch((error: unknown) => error)
    await server.nextCall()
    const reason = new Error('enough')
    abort.abort(reason)
    expect(await committed).toBe(reason)
    expect(clock.pending()).toBe(0)
  })
})

describe('the rest of a taker', () => {
  test('cancels with its secret', async () => {
    const { server, taker } = await setUp()
    const cancelled = taker.cancelQuoteRequest({ request: REQUEST })
    const call = await server.nextCall()
    call.answer(200, { success: true })
    await cancelled
    expect(call).toMatchObject({ method: 'POST', path: '/quote-requests/request-1/cancel' })
    expect(call.headers['x-taker-secret']).toBe('sesame')
  })

  test('says what it lacks when it is asked for the chain without one', async () => {
    const taker = createTakerClient({ url: 'http://127.0.0.1:1' })
    await expect(taker.getBalance()).rejects.toThrow(ClientSetupError)
    await expect(taker.commitToBestQuote({ request: REQUEST })).rejects.toThrow('A commit needs `wallet`')
    const withoutTransport = createTakerClient({ url: 'http://127.0.0.1:1', account: TAKER, chain: CHAIN })
    await expect(withoutTransport.getBalance()).rejects.toThrow('without a transport')
  })

  test('asks for series by what the filter says', async () => {
    const { server, taker } = await setUp()
    const listed = taker.listSeries({ optionType: 'call', settled: false })
    const call = await server.nextCall()
    call.answer(200, { success: true, count: 0, series: [] })
    expect(await listed).toEqual([])
    expect(call.path).toBe('/v1/series?optionType=call&settled=false')
  })

  test('asks for trades of a series, page by page', async () => {
    const { server, taker } = await setUp()
    const listed = taker.listTrades({ seriesId: '7', cursor: '1000_a' })
    const call = await server.nextCall()
    call.answer(200, { success: true, trades: [], nextCursor: null })
    expect(await listed).toEqual({ trades: [], nextCursor: null })
    expect(call.path).toBe('/v1/trades?seriesId=7&cursor=1000_a')
  })

  test('rejects an answer of another shape as unexpected', async () => {
    const { server, taker } = await setUp()
    const markets = taker.listMarkets().catch((error: unknown) => error)
    ;(await server.nextCall()).answer(200, { success: true, markets: 'none' })
    expect(await markets).toBeInstanceOf(RelayError)
    expect(await markets).toMatchObject({ code: 'unexpected_answer' })
  })
})

describe('a request that keeps something from makers', () => {
  const open = { market: termsOf(BUY).market, option: termsOf(BUY).option, trade: termsOf(BUY).trade }

  test.each([
    ['makers', { audience: { kind: 'only', makers: ['ada'] } }],
    ['exceptMakers', { audience: { kind: 'except', makers: ['ada'] } }],
    ['blind', { blind: true, wallet: TAKER.address }],
    ['standing', { standing: { limitPrice: usd6(1n) }, wallet: TAKER.address }],
  ] as const)('is not sent to a relay that would ignore %s', async (field, more) => {
    const { server, taker } = await setUp()
    const opening = taker.openQuoteRequest({ ...open, ...more }).catch((error: unknown) => error)
    const { path, answer } = await server.nextCall()
    answer(404, { success: false, error: { code: 'not_found', message: 'nothing here' } })
    const fault = await opening
    expect(fault).toBeInstanceOf(ClientSetupError)
    expect((fault as Error).message).toContain(`\`${field}\``)
    expect([path, server.calls.length]).toEqual(['/v1/environment', 1])
  })

  test('needs a wallet where it is blind or has a standing limit', async () => {
    const { taker } = await setUp()
    const standing = { limitPrice: usd6(1n) }
    await expect(taker.openQuoteRequest({ ...open, standing })).rejects.toBeInstanceOf(ClientSetupError)
    await expect(taker.openQuoteRequest({ ...open, blind: true })).rejects.toBeInstanceOf(ClientSetupError)
  })
})
