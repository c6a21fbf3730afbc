import { describe, expect, test } from 'vitest'
import { RfqError } from '../../../src/protocol/domain/errors.ts'
import type { Quote } from '../../../src/protocol/domain/quote.ts'
import { decodeQuotes, type MakerCalls } from '../../../src/protocol/wire/maker-commands.ts'
import { type CallParts, createListedCalls } from '../../../src/relay/server/maker-calls.ts'
import { createCallLine } from '../../../src/relay/server/ws/call-line.ts'
import { settle } from '../../support/fake-clock.ts'
import { ADA, startServer } from './support.ts'

const KEY = ADA['x-api-key']
const WALLET = `0x${'ab'.repeat(20)}`

/** A quote of a price in micro-dollars as it comes in a message. */
const quoteOf = (ref: string, requestId: string, price = 0.12) => ({
  ref,
  requestId,
  quote: { maker: WALLET, side: 'buy', price, size: 10 },
})
const single = (ref: string, requestId: string, price?: number): MakerCalls => ({
  type: 'quote',
  ...quoteOf(ref, requestId, price),
})

type Call = { name: string; end: (fault?: Error) => void }

/** A line over a relay whose calls the test ends. */
function open({ isClosing = false } = {}) {
  const called: Call[] = []
  const sent: object[] = []
  const call = (name: string) =>
    new Promise<void>((resolve, reject) =>
      called.push({ name, end: (fault) => (fault === undefined ? resolve() : reject(fault)) }),
    )
  const parts: CallParts = {
    relay: {
      submitQuote: async ({ requestId, submission }) => {
        await call(`quote ${requestId} ${submission.price}`)
        return { quoteId: `q-${requestId}`, price: submission.price } as Quote
      },
      withdrawQuote: ({ quoteId }) => call(`withdraw ${quoteId}`),
      makeQuoteFirm: ({ quoteId }) => call(`firm ${quoteId}`),
      confirm: ({ quoteId }) => call(`confirm ${quoteId}`),
      decline: ({ quoteId }) => call(`decline ${quoteId}`),
      setLevels: async ({ levels }) => {
        await call(`levels ${levels.length}`)
        return { count: levels.length, keptMs: 60_000 }
      },
    },
    makerId: 'ada',
    shutdown: { isClosing: () => isClosing },
    countOf: () => () => {},
    log: { error: () => {} },
  }
  const line = createCallLine({ ...parts, send: (message) => sent.push(message) })
  const names = () => called.map(({ name }) => name)
  return { line, answerList: createListedCalls(parts), called, names, sent }
}

const withdraw = (ref: string, quoteId: string): object => ({ type: 'quote:withdraw', ref, quoteId })

describe('calls of a maker over its socket', () => {
  test('quotes on one request are taken in their order, those on others beside them', async () => {
    const { line, called, names, sent } = open()
    line.take(single('1', 'a', 0.2))
    line.take(single('2', 'a', 0.3))
    line.take(single('3', 'b'))
    await settle()
    expect(names()).toEqual(['quote a 200000', 'quote b 120000'])
    called[0]?.end(new RfqError('request_closed'))
    await settle()
    expect(names()).toEqual(['quote a 200000', 'quote b 120000', 'quote a 300000'])
    called[2]?.end()
    await settle()
    expect(sent).toMatchObject([
      { type: 'quote:error', ref: '1', code: 'request_closed' },
      { type: 'quote:ok', ref: '2', quoteId: 'q-a', price: 0.3 },
    ])
  })

  test('a withdrawal waits for all quotes that came before, a signature for nothing', async () => {
    const { line, called, names } = open()
    line.take(single('1', 'a'))
    line.take(withdraw('2', 'q-a'))
    line.take({ type: 'quote:confirm', ref: '3', quoteId: 'q-b', signature: '0x1' } as object)
    await settle()
    expect(names()).toEqual(['quote a 120000', 'confirm q-b'])
    called[0]?.end()
    await settle()
    expect(names()).toEqual(['quote a 120000', 'confirm q-b', 'withdraw q-a'])
  })

  test('the quotes of one message are answered together, each for itself', async () => {
    const { line, called, sent } = open()
    const message = {
      type: 'quotes',
      ref: 'all',
      quotes: [quoteOf('1', 'a'), { ...quoteOf('2', 'b'), quote: {} }, 'none', quoteOf('4', 'c')],
    }
    line.take(message)
    await settle()
    called[1]?.end()
    called[0]?.end()
    await settle()
    expect(sent).toMatchObject([
      {
        type: 'quotes:results',
        ref: 'all',
        results: [
          { type: 'quote:ok', ref: '1', quoteId: 'q-a' },
          { type: 'quote:error', ref: '2', code: 'invalid_request' },
          { type: 'quote:error', ref: null, code: 'invalid_request' },
          { type: 'quote:ok', ref: '4', quoteId: 'q-c' },
        ],
      },
    ])
  })

  test.each([[[]], [new Array(65).fill(quoteOf('1', 'a'))], ['many'], [undefined]])(
    'a message of no quotes or too many is refused as a whole: %#',
    async (quotes) => {
      const { line, names, sent } = open()
      line.take({ type: 'quotes', ref: 'all', quotes } as object)
      await settle()
      expect(names()).toEqual([])
      expect(sent).toMatchObject([{ type: 'quote:error', ref: 'all', code: 'invalid_request' }])
    },
  )

  test('more than 256 calls at a time are refused, and what a commit waits for is still taken', async () => {
    const { line, called, names, sent } = open()
    for (let i = 0; i < 256; i += 1) line.take(single(`${i}`, `${i}`))
    line.take({ type: 'quotes', ref: 'all', quotes: [quoteOf('1', 'a')] })
    line.take({ type: 'quote:confirm', ref: 'c', quoteId: 'q', signature: '0x1' } as object)
    await settle()
    expect(sent).toMatchObject([{ type: 'quote:error', ref: 'all', code: 'too_many_requests', retryable: true }])
    expect(names().at(-1)).toBe('confirm q')
    called[7]?.end()
    await settle()
    line.take(single('next', 'next'))
    expect(names().at(-1)).toBe('quote next 120000')
  })

  test('a quote behind a withdrawal waits for it, whatever request it is on', async () => {
    const { line, called, names } = open()
    line.take(withdraw('1', 'q-a'))
    line.take(single('2', 'a'))
    line.take(single('3', 'b'))
    await settle()
    expect(names()).toEqual(['withdraw q-a'])
    called[0]?.end(new RfqError('quote_not_found'))
    await settle()
    expect(names()).toEqual(['withdraw q-a', 'quote a 120000', 'quote b 120000'])
  })

  test('a relay that closes takes no quote, and still the answers that a commit waits for', async () => {
    const { line, names, sent } = open({ isClosing: true })
    line.take(single('1', 'a'))
    line.take({ type: 'quote:decline', ref: '2', quoteId: 'q' } as object)
    await settle()
    expect(names()).toEqual(['decline q'])
    expect(sent).toMatchObject([{ type: 'quote:error', ref: '1', code: 'shutting_down', retryable: true }])
  })
})

describe('a maker socket that calls', () => {
  test('quotes, learns the price as the book has it, and withdraws', async () => {
    const fixture = await startServer()
    const { requestId } = await fixture.open()
    const { next, send } = fixture.socket(`/maker/v1/ws?apiKey=${KEY}`)
    await next()
    send({ type: 'quote', ...quoteOf('a', requestId, 0.1234567) })
    const taken = (await next()) as { quoteId: string }
    expect(taken).toMatchObject({ type: 'quote:ok', ref: 'a', price: 0.123457 })
    send({ type: 'quote:withdraw', ref: 'b', quoteId: taken.quoteId })
    expect(await next()).toEqual({ type: 'quote:ok', ref: 'b', quoteId: taken.quoteId })
    send({ type: 'quote:withdraw', ref: 'c', quoteId: taken.quoteId })
    expect(await next()).toMatchObject({ type: 'quote:error', ref: 'c', code: 'quote_not_found' })
  })

  test('that is not connected is not answered, however much it sends', async () => {
    const fixture = await startServer()
    const { opened, next, send, socket } = fixture.socket()
    await opened
    send({ type: 'quotes', ref: 'a', quotes: new Array(64).fill(0) })
    send({ type: 'auth', apiKey: KEY })
    expect(await next()).toMatchObject({ type: 'connected' })
    socket.terminate()
  })

  test('pulls a quote and quotes again in one breath: the last one counts', async () => {
    const fixture = await startServer()
    const { requestId } = await fixture.open()
    const { next, send } = fixture.socket(`/maker/v1/ws?apiKey=${KEY}`)
    await next()
    send({ type: 'quote', ...quoteOf('a', requestId, 0.2) })
    const { quoteId } = (await next()) as { quoteId: string }
    send({ type: 'quote:withdraw', ref: 'b', quoteId })
    send({ type: 'quote', ...quoteOf('c', requestId, 0.25) })
    expect([await next(), await next()]).toMatchObject([{ ref: 'b' }, { ref: 'c', quoteId, price: 0.25 }])
    const { body } = await fixture.call('GET', `/quote-requests/${requestId}/quotes`)
    expect(body).toMatchObject({ quoteCount: 1, bestQuote: { price: 0.25 } })
  })
})

describe('several quotes in one call over HTTP', () => {
  const post = (fixture: Awaited<ReturnType<typeof startServer>>, quotes: unknown) =>
    fixture.call('POST', '/v1/mm/quotes/batch', { headers: ADA, body: { quotes } })

  test('each is taken or refused by itself, in its place', async () => {
    const fixture = await startServer()
    const [first, second] = [await fixture.open(), await fixture.open()]
    const quotes = [
      quoteOf('a', first.requestId, 0.1),
      { ...quoteOf('b', second.requestId), ref: 7 },
      quoteOf('c', second.requestId, 0.2),
      quoteOf('d', 'unknown'),
    ]
    const { status, body } = await post(fixture, quotes)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      success: true,
      results: [
        { type: 'quote:ok', ref: 'a', price: 0.1 },
        { type: 'quote:error', ref: null, status: 400, code: 'invalid_request' },
        { type: 'quote:ok', ref: 'c', price: 0.2 },
        { type: 'quote:error', ref: 'd', status: 404, code: 'request_not_found' },
      ],
    })
    const book = await fixture.call('GET', `/quote-requests/${second.requestId}/quotes`)
    expect(book.body).toMatchObject({ quoteCount: 1, bestQuote: { price: 0.2 } })
  })

  test('the later of two on one request counts', async () => {
    const fixture = await startServer()
    const { requestId } = await fixture.open()
    await post(fixture, [quoteOf('a', requestId, 0.2), quoteOf('b', requestId, 0.25)])
    const { body } = await fixture.call('GET', `/quote-requests/${requestId}/quotes`)
    expect(body).toMatchObject({ quoteCount: 1, bestQuote: { price: 0.25 } })
  })

  test.each([
    ['none', []],
    ['65', new Array(65).fill(quoteOf('a', 'r'))],
    ['no list', 'all'],
  ])('a list of %s is refused as a whole', async (_, quotes) => {
    const fixture = await startServer()
    const { status, body } = await post(fixture, quotes)
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'invalid_request', error: expect.stringContaining('a list of 1 to 64 quotes') })
  })

  test('a maker has at most 256 under way, whatever others have, and as many again once they are answered', async () => {
    const { answerList, called } = open()
    const listOf = (count: number) =>
      decodeQuotes({ quotes: Array.from({ length: count }, (_, n) => quoteOf('a', `${n}`)) })
    const lists = Array.from({ length: 4 }, () => answerList('ada', listOf(64)))
    const one = answerList('bob', listOf(1))
    await expect(answerList('ada', listOf(1))).rejects.toMatchObject({
      code: 'too_many_requests',
      data: { retryAfterS: 1 },
    })
    await settle()
    called[0]?.end(new Error('a fault'))
    for (const { end } of called.slice(1)) end()
    expect((await lists[0])?.slice(0, 2)).toMatchObject([{ code: 'internal_error' }, { type: 'quote:ok' }])
    await Promise.all([...lists, one])
    const again = answerList('ada', listOf(64))
    await settle()
    for (const { end } of called.slice(257)) end()
    expect(await again).toHaveLength(64)
  })

  test('it needs the key of a maker', async () => {
    const fixture = await startServer()
    const { status } = await fixture.call('POST', '/v1/mm/quotes/batch', { body: { quotes: [quoteOf('a', 'r')] } })
    expect(status).toBe(401)
  })
})
