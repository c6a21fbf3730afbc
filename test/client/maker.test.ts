import { custom } from 'viem'
import { recoverAddress } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { createMakerClient } from '../../src/client/maker.ts'
import type { Signer } from '../../src/client/signer.ts'
import type { ChainSetup } from '../../src/client/wallet.ts'
import { type Order, orderDigest, type TypedDataDomain } from '../../src/protocol/domain/order.ts'
import { quoteOn } from '../../src/protocol/domain/quote.ts'
import type { RequestTerms, Side } from '../../src/protocol/domain/request.ts'
import { type Address, contracts, usd6 } from '../../src/protocol/domain/units.ts'
import { encodeConnected, encodePostTrade, type SignatureRequest } from '../../src/protocol/wire/maker-messages.ts'
import {
  quoteRequestExpiredFrame,
  quoteRequestFrame,
  streamConnectedFrame,
} from '../../src/protocol/wire/maker-stream.ts'
import { encodeSseFrame } from '../../src/protocol/wire/sse.ts'
import { encodeQuoted } from '../../src/protocol/wire/submit-quote.ts'
import { eventually } from '../kit/eventually.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { startFakeServer } from './fake-server.ts'
import { createFakeWallet } from './fake-wallet.ts'
import { announced, BUY, CHAIN, DOMAIN, MAKER, NOW, offerOf, orderOf, STRANGER } from './trade-fixture.ts'

const PRICE = usd6(120_000n)
const SIZE = contracts(500n)
const REQUEST = announced(BUY)

async function setUp(chain: ChainSetup = CHAIN, account: Signer = MAKER, wallet?: Address) {
  const server = await startFakeServer()
  const clock = createFakeClock(NOW)
  const maker = createMakerClient({
    url: server.url,
    apiKey: 'mk_live_1',
    account,
    ...(wallet === undefined ? {} : { maker: wallet }),
    chain,
    timing: { clock, random: () => 0.5 },
  })
  /** Quotes and lets the relay take it. */
  async function quote(price = PRICE) {
    const quoted = maker.submitQuote({ request: REQUEST, price, size: SIZE })
    const call = await server.nextCall()
    call.answer(200, { success: true, quoteId: 'quote-1', price: Number(price) / 1e6 })
    return { call, answer: await quoted }
  }
  return { server, clock, maker, quote }
}

/** A chain that knows nothing but its time, Unix seconds; null: it is down. */
const chainAt = (timestamp: number | null) =>
  custom(
    {
      request: async ({ method }) => {
        if (timestamp === null || method !== 'eth_getBlockByNumber') throw new Error(`no ${method}`)
        return { number: '0x1', timestamp: `0x${timestamp.toString(16)}`, transactions: [] }
      },
    },
    { retryCount: 0 },
  )

const accepted = (over: Partial<Order> = {}, domain: TypedDataDomain = DOMAIN): SignatureRequest => ({
  requestId: 'request-1',
  quoteId: 'quote-1',
  order: orderOf(offerOf(BUY), over),
  domain,
  deadline: NOW + 10_000,
})

describe('a maker’s quotes', () => {
  test('carry its wallet, the taker’s side and the key in a header', async () => {
    const { quote } = await setUp()
    const { call, answer } = await quote()
    expect(answer).toEqual({ quoteId: 'quote-1', price: 120_000n })
    expect(call).toMatchObject({
      method: 'POST',
      path: '/v1/mm/quotes',
      body: {
        requestId: 'request-1',
        quote: { maker: MAKER.address, side: 'buy', price: 0.12, size: 500, expires_in_ms: null },
      },
    })
    expect(call.headers['x-api-key']).toBe('mk_live_1')
  })

  /** Quotes, is given an order, and hears this of its signature. */
  async function quoteFirm(status: number, body: object) {
    const { server, maker } = await setUp()
    const quoted = maker.submitQuote({ request: REQUEST, price: PRICE, size: SIZE, firm: true })
    const call = await server.nextCall()
    expect(call.body).toMatchObject({ quote: { firm: true } })
    const order = orderOf(offerOf(BUY))
    call.answer(200, encodeQuoted({ quoteId: 'quote-1', price: PRICE, order, domain: DOMAIN }))
    const making = await Promise.race([
      server.nextCall(),
      quoted.then(() => Promise.reject(new Error('no firm signature'))),
    ])
    making.answer(status, body)
    return { order, making, quoted }
  }

  test('are signed at once where they are to be firm', async () => {
    const { order, making, quoted } = await quoteFirm(200, { success: true })
    expect(await quoted).toEqual({ quoteId: 'quote-1', price: PRICE, isFirm: true })
    expect(making.path).toBe('/v1/mm/quotes/quote-1/firm')
    const { signature } = making.body as { signature: `0x${string}` }
    expect(await recoverAddress({ hash: orderDigest(order, DOMAIN), signature })).toBe(MAKER.address)
  })

  test('are signed on both sides where they are to be firm on both', async () => {
    const { server, maker } = await setUp()
    const terms: RequestTerms = { ...REQUEST.terms, trade: { side: 'both', size: contracts(100n) } }
    const bid = usd6(100_000n)
    const quoted = maker.submitQuote({ request: { ...REQUEST, terms }, price: PRICE, bid, size: SIZE, firm: true })
    const call = await server.nextCall()
    const offer = offerOf(BUY)
    const quote = { ...offer.quote, otherPrice: bid }
    const orderOn = (side: Side) => orderOf({ ...offer, terms, quote: quoteOn(quote, side) })
    const [order, otherOrder] = [orderOn('buy'), orderOn('sell')]
    call.answer(200, encodeQuoted({ quoteId: 'quote-1', price: PRICE, order, otherOrder, domain: DOMAIN }))
    const making = await Promise.race([server.nextCall(), quoted.then(() => Promise.reject(new Error('not signed')))])
    const { signature, bidSignature } = making.body as Record<'signature' | 'bidSignature', `0x${string}`>
    expect(await recoverAddress({ hash: orderDigest(order, DOMAIN), signature })).toBe(MAKER.address)
    expect(await recoverAddress({ hash: orderDigest(otherOrder, DOMAIN), signature: bidSignature })).toBe(MAKER.address)
    making.answer(200, { success: true })
    expect(await quoted).toEqual({ quoteId: 'quote-1', price: PRICE, isFirm: true })
  })

  test.each([
    [404, 'quote_not_found'],
    [409, 'quote_locked'],
    [400, 'invalid_signature'],
  ])('are soft where the signature comes too late for them (%i %s)', async (status, code) => {
    const { quoted } = await quoteFirm(status, { success: false, error: 'No.', code })
    expect(await quoted).toEqual({ quoteId: 'quote-1', price: PRICE })
  })

  test('can be withdrawn, and are not signed for after that', async () => {
    const { server, maker, quote } = await setUp()
    await quote()
    const withdrawn = maker.withdrawQuote({ quoteId: 'quote-1' })
    const call = await server.nextCall()
    call.answer(200, { success: true })
    await withdrawn
    expect(call).toMatchObject({ method: 'DELETE', path: '/v1/mm/quotes/quote-1' })
    await expect(maker.confirmOrder({ acceptance: accepted() })).rejects.toThrow(
      'this maker made no offer for the request',
    )
  })
})

describe('a maker’s signature', () => {
  test('is given to an order for its own offer, and recovers to its wallet', async () => {
    const { server, maker, quote } = await setUp()
    await quote()
    const acceptance = accepted()
    const confirmed = maker.confirmOrder({ acceptance })
    const call = await server.nextCall()
    call.answer(200, { success: true })
    await confirmed
    expect(call.path).toBe('/v1/mm/quotes/quote-1/confirm')
    const { signature } = call.body as { signature: `0x${string}` }
    const hash = orderDigest(acceptance.order, DOMAIN)
    expect(await recoverAddress({ hash, signature })).toBe(MAKER.address)
  })

  test('may be that of a hot key, which quotes for the wallet that pays and signs its orders', async () => {
    const { server, maker, quote } = await setUp(CHAIN, STRANGER, MAKER.address)
    expect((await quote()).call.body).toMatchObject({ quote: { maker: MAKER.address } })
    const acceptance = accepted()
    const confirmed = maker.confirmOrder({ acceptance })
    const call = await server.nextCall()
    call.answer(200, { success: true })
    await confirmed
    const { signature } = call.body as { signature: `0x${string}` }
    expect(await recoverAddress({ hash: orderDigest(acceptance.order, DOMAIN), signature })).toBe(STRANGER.address)
    const own = accepted({ maker: STRANGER.address })
    await expect(maker.confirmOrder({ acceptance: own })).rejects.toMatchObject({ name: 'OrderMismatchError' })
  })

  test('may be that of an injected wallet, which quotes and signs by the account that its owner shows', async () => {
    const injected = createFakeWallet({ account: MAKER, chainId: CHAIN.chainId })
    const { server, maker, quote } = await setUp(CHAIN, injected.provider)
    expect((await quote()).call.body).toMatchObject({ quote: { maker: MAKER.address } })
    const acceptance = accepted()
    injected.answers = 'rejects'
    await expect(maker.confirmOrder({ acceptance })).rejects.toMatchObject({ code: 'wallet_rejected' })
    expect(server.calls).toHaveLength(1)
    injected.answers = 'approves'
    const confirmed = maker.confirmOrder({ acceptance })
    const call = await server.nextCall()
    call.answer(200, { success: true })
    await confirmed
    const { signature } = call.body as { signature: `0x${string}` }
    expect(await recoverAddress({ hash: orderDigest(acceptance.order, DOMAIN), signature })).toBe(MAKER.address)
    expect(injected.asked.filter((method) => method === 'eth_requestAccounts')).toHaveLength(1)
  })

  test('is given before the relay has answered the quote', async () => {
    const { server, maker } = await setUp()
    const quoted = maker.submitQuote({ request: REQUEST, price: PRICE, size: SIZE })
    const submission = await server.nextCall()
    const confirmed = maker.confirmOrder({ acceptance: accepted() })
    ;(await server.nextCall()).answer(200, { success: true })
    await confirmed
    submission.answer(200, { success: true, quoteId: 'quote-1', price: 0.12 })
    await quoted
  })

  test.each<[string, SignatureRequest]>([
    ['of a request it did not quote', { ...accepted(), requestId: 'request-2' }],
    ['that sells too cheaply', accepted({ premiumAmount: usd6(59_999_999n) })],
    ['for more than it offered', accepted({ optionAmount: contracts(501n), premiumAmount: usd6(99_000_000n) })],
    ['of another maker', accepted({ maker: STRANGER.address })],
    ['for another contract', accepted({}, { ...DOMAIN, verifyingContract: STRANGER.address })],
    ['on another chain', accepted({}, { ...DOMAIN, chainId: 1 })],
    ['that stays open for an hour', accepted({ validUntil: NOW / 1_000 + 3_600 })],
  ])('is not given to an order %s', async (_, acceptance) => {
    const { server, maker, quote } = await setUp()
    await quote()
    await expect(maker.confirmOrder({ acceptance })).rejects.toMatchObject({ name: 'OrderMismatchError' })
    expect(server.calls).toHaveLength(1)
  })

  test('is not given at a price that the relay refused', async () => {
    const { server, maker, quote } = await setUp()
    await quote()
    const refused = maker.submitQuote({ request: REQUEST, price: usd6(110_000n), size: SIZE })
    ;(await server.nextCall()).answer(409, { success: false, error: 'Locked.', code: 'quote_locked' })
    await expect(refused).rejects.toMatchObject({ code: 'quote_locked' })
    const acceptance = accepted({ premiumAmount: usd6(55_000_000n) })
    await expect(maker.confirmOrder({ acceptance })).rejects.toThrow('at the quoted price it is 60')
  })

  test('is not given for an offer whose time is over', async () => {
    const { server, clock, maker } = await setUp()
    const quoted = maker.submitQuote({ request: REQUEST, price: PRICE, size: SIZE, expiresInMs: 1_000 })
    const call = await server.nextCall()
    call.answer(200, { success: true, quoteId: 'quote-1', price: 0.12 })
    await quoted
    expect(call.body).toMatchObject({ quote: { expires_in_ms: 1_000 } })
    await clock.advance(31_001)
    await expect(maker.confirmOrder({ acceptance: accepted() })).rejects.toThrow('the offer ended 30001 ms ago')
  })

  test('is given at the price of the newest offer and no lower', async () => {
    const { maker, quote } = await setUp()
    await quote()
    await quote(usd6(110_000n))
    const acceptance = accepted({ premiumAmount: usd6(54_999_999n) })
    await expect(maker.confirmOrder({ acceptance })).rejects.toThrow('at the quoted price it is 55')
  })

  test('counts validity from chain time where the chain’s clock is ahead, and from its own where it cannot be read', async () => {
    const dayS = 86_400
    const late = accepted({ validUntil: NOW / 1_000 + dayS + 130 })
    const ahead = await setUp({ ...CHAIN, transport: chainAt(NOW / 1_000 + dayS) })
    await ahead.quote()
    const confirmed = ahead.maker.confirmOrder({ acceptance: late })
    ;(await ahead.server.nextCall()).answer(200, { success: true })
    await confirmed
    const down = await setUp({ ...CHAIN, transport: chainAt(null) })
    await down.quote()
    await expect(down.maker.confirmOrder({ acceptance: late })).rejects.toThrow('it stays open until')
  })

  test('is not given twice for one request under different nonces', async () => {
    const { server, maker, quote } = await setUp()
    await quote()
    for (let time = 0; time < 2; time += 1) {
      const confirmed = maker.confirmOrder({ acceptance: accepted() })
      ;(await server.nextCall()).answer(200, { success: true })
      await confirmed
    }
    await expect(maker.confirmOrder({ acceptance: accepted({ nonce: 1 }) })).rejects.toThrow(
      'another nonce was already signed',
    )
  })

  test('is given for an offer that another process made, once it knows the offer', async () => {
    const { server, maker } = await setUp()
    const confirmed = maker.confirmOrder({ acceptance: accepted(), offer: offerOf(BUY) })
    ;(await server.nextCall()).answer(200, { success: true })
    await confirmed
  })

  test('is sent again when the connection is lost, until the deadline', async () => {
    const { server, clock, maker, quote } = await setUp()
    await quote()
    const confirmed = maker.confirmOrder({ acceptance: accepted() })
    const first = await server.nextCall()
    first.cut()
    await eventually(() => clock.pending() === 1)
    await clock.advance(75)
    const second = await server.nextCall()
    expect(second.body).toEqual(first.body)
    second.answer(200, { success: true })
    await confirmed
  })

  test('is not sent again after the deadline', async () => {
    const { server, clock, maker, quote } = await setUp()
    await quote()
    const confirmed = maker.confirmOrder({ acceptance: accepted() }).catch((error: unknown) => error)
    const call = await server.nextCall()
    await clock.advance(10_000)
    call.cut()
    expect(await confirmed).toMatchObject({ name: 'RelayUnreachableError' })
  })

  test('is refused with the relay’s own code when it came too late', async () => {
    const { server, maker, quote } = await setUp()
    await quote()
    const confirmed = maker.confirmOrder({ acceptance: accepted() })
    ;(await server.nextCall()).answer(404, {
      success: false,
      error: 'no_pending_acceptance',
      code: 'no_pending_acceptance',
      detail: 'Too late.',
    })
    await expect(confirmed).rejects.toMatchObject({ code: 'no_pending_acceptance', message: 'Too late.' })
  })
})

describe('messages to a maker', () => {
  test('are requests and their ends, with the terms to quote on', async () => {
    const { server, maker } = await setUp()
    const events = maker.watchQuoteRequests()
    const first = events.next()
    const call = await server.nextCall()
    expect(call.path).toBe('/v1/mm/quote-requests/stream')
    expect(call.headers['x-api-key']).toBe('mk_live_1')
    const stream = call.stream()
    stream.write(encodeSseFrame(streamConnectedFrame('maker-1', NOW)))
    const { requestId, expiresAt, terms } = REQUEST
    const request = {
      ...terms,
      requestId,
      expiresAt,
      seriesId: '1',
      createdAt: NOW,
      locked: true,
      takerSecretDigest: '',
    }
    stream.write(encodeSseFrame(quoteRequestFrame(7, request)))
    stream.write(encodeSseFrame(quoteRequestExpiredFrame(8, requestId)))
    expect((await first).value).toEqual({ kind: 'connected', makerId: 'maker-1', serverTime: NOW })
    expect((await events.next()).value).toEqual({ kind: 'quote_request', request: REQUEST })
    expect((await events.next()).value).toEqual({ kind: 'quote_request_expired', requestId: 'request-1' })
  })

  test('are acceptances and outcomes on the socket, whose address has no key', async () => {
    const { server, maker } = await setUp()
    const messages = maker.watchOrders()
    const first = messages.next()
    const { socket, url } = await server.nextSocket()
    expect(url).toBe('/maker/v1/ws')
    const acceptance = accepted()
    socket.send(JSON.stringify({ ...encodeConnected('maker-1', NOW), protocolVersion: 4, offers: ['tea'] }))
    socket.send('{"type":"quote:celebrated"}')
    socket.send(JSON.stringify(encodePostTrade({ kind: 'accepted', acceptance })))
    expect((await first).value).toMatchObject({ kind: 'connected', makerId: 'maker-1' })
    expect((await messages.next()).value).toEqual({ kind: 'accepted', acceptance })
  })

  test('is what the relay has of its own book', async () => {
    const { server, maker } = await setUp()
    const book = maker.getOwnBook()
    ;(await server.nextCall()).answer(200, { success: true, quotes: [], pending: [] })
    expect(await book).toEqual({ quotes: [], pending: [] })
  })

  test('can be declined', async () => {
    const { server, maker } = await setUp()
    const declined = maker.declineOrder({ quoteId: 'quote-1', reason: 'risk limit' })
    const call = await server.nextCall()
    call.answer(200, { success: true })
    await declined
    expect(call).toMatchObject({ path: '/v1/mm/quotes/quote-1/decline', body: { reason: 'risk limit' } })
  })
})
