import { expect, vi } from 'vitest'
import { contracts, usd6 } from '../../../../src/protocol/domain/units.ts'
import type { RelaySettings } from '../../../../src/relay/core/ports/ports.ts'
import {
  CALL_BUY,
  OTHER_TAKER,
  proofOf,
  RELAY_SETTINGS,
  registerSeries,
  TAKER,
  walletOf,
} from '../../../support/test-relay.ts'
import { ADA, type Answer, KEYS, startServer, type TestServer, type TestSocket } from '../support.ts'
import { calling, openingWith, type Producers } from './produce.ts'

const POOR = { balance: usd6(0n), allowance: usd6(10n ** 15n) }
const UNAPPROVED = { balance: usd6(10n ** 15n), allowance: usd6(0n) }

/** A quote of ada's over HTTP on a fresh request, with some fields replaced. */
const quoting =
  (fields: object, open: Parameters<TestServer['open']>[0] = {}, prepare: (fixture: TestServer) => void = () => {}) =>
  async (): Promise<Answer> => {
    const fixture = await startServer()
    prepare(fixture)
    const { requestId } = await fixture.open(open)
    return submit(fixture, requestId, fields)
  }

const submit = ({ call }: TestServer, requestId: string, fields: object = {}): Promise<Answer> => {
  const quote = { maker: walletOf('ada'), side: 'buy', price: 0.12, size: 1_000, ...fields }
  return call('POST', '/v1/mm/quotes', { headers: ADA, body: { requestId, quote } })
}

const commit = ({ call }: TestServer, requestId: string, body: object = {}): Promise<Answer> =>
  call('POST', `/quote-requests/${requestId}/commit`, { body: { wallet: TAKER, ...body } })

/** The same with a proof of the wallet, which alone counts in full where makers and takers are bounded. */
async function commitProven(fixture: TestServer, requestId: string): Promise<Answer> {
  const terms = { wallet: TAKER, limitPrice: null, minContracts: null, expectedQuoteId: null }
  return commit(fixture, requestId, { proof: await proofOf(fixture.relay, { ...terms, requestId }) })
}

/** A request with ada's quote, and ada on her socket. */
async function quoted(open: Parameters<TestServer['open']>[0] = {}, relay: Partial<RelaySettings> = KEYS) {
  const fixture = await startServer({ relay })
  const socket: TestSocket = fixture.socket(`/maker/v1/ws?apiKey=${ADA['x-api-key']}`)
  await socket.next()
  const { requestId, takerSecret } = await fixture.open(open)
  const quoteId = await fixture.quote('ada', requestId)
  return { fixture, socket, requestId, takerSecret, quoteId }
}

/** Does something while ada is asked to sign, and returns what that was answered. Afterwards she declines. */
const whileAsked =
  (act: (market: Awaited<ReturnType<typeof quoted>>) => Promise<Answer>) => async (): Promise<Answer> => {
    const market = await quoted()
    const running = commit(market.fixture, market.requestId)
    await market.socket.next()
    const answer = await act(market)
    await market.fixture.relay.decline({ makerId: 'ada', quoteId: market.quoteId })
    await running
    return answer
  }

const confirm = ({ call }: TestServer, quoteId: string, signature: string): Promise<Answer> =>
  call('POST', `/v1/mm/quotes/${quoteId}/confirm`, { headers: ADA, body: { signature } })

/** A request that ada has signed the order of. */
async function committed(options: Parameters<typeof startServer>[0] = {}) {
  const fixture = await startServer(options)
  const ada = await fixture.connect('ada')
  const { requestId } = await fixture.open()
  const quoteId = await fixture.quote('ada', requestId)
  const running = commitProven(fixture, requestId)
  await vi.waitUntil(() => ada.accepted().length > 0, { timeout: 60_000 })
  await confirm(fixture, quoteId, await ada.sign())
  await running
  return { fixture, requestId }
}

export const TRADING: Producers<
  | 'request_not_found'
  | 'request_expired'
  | 'request_closed'
  | 'quote_not_found'
  | 'quote_locked'
  | 'protection_tripped'
  | 'maker_suspended'
  | 'outside_protections'
  | 'invalid_package'
  | 'client_request_id_reused'
  | 'option_expired'
  | 'side_mismatch'
  | 'size_too_small'
  | 'price_out_of_range'
  | 'price_above_max_payoff'
  | 'fill_below_one'
  | 'maker_insufficient_balance'
  | 'maker_insufficient_allowance'
  | 'transcript_not_ready'
  | 'wallet_mismatch'
  | 'proof_required'
  | 'commit_in_progress'
  | 'position_too_small'
  | 'too_many_unfilled_orders'
  | 'already_committed'
  | 'no_valid_quotes'
  | 'no_acceptable_quote'
  | 'quote_changed'
  | 'series_not_registered'
  | 'series_halted'
  | 'amount_too_large'
  | 'no_maker_confirmed'
  | 'no_pending_acceptance'
  | 'invalid_signature'
  | 'chain_unavailable'
> = {
  request_not_found: calling('GET', '/quote-requests/00000000-0000-4000-8000-000000000000/quotes'),
  request_expired: async () => {
    const { open, clock, call } = await startServer()
    const { requestId } = await open()
    await clock.advance(300_000)
    return call('GET', `/quote-requests/${requestId}/quotes`)
  },
  request_closed: async () => {
    const fixture = await startServer()
    const { requestId, takerSecret } = await fixture.open()
    await fixture.relay.cancelRequest({ requestId, takerSecret })
    return submit(fixture, requestId)
  },
  transcript_not_ready: async () => {
    const { open, call } = await startServer({ fixture: { hasTransparencyLog: true } })
    const { requestId, takerSecret } = await open()
    return call('GET', `/v1/quote-requests/${requestId}/transcript`, { headers: { 'x-taker-secret': takerSecret } })
  },
  quote_not_found: calling('DELETE', '/v1/mm/quotes/00000000-0000-4000-8000-000000000000', { headers: ADA }),
  protection_tripped: async () => {
    const market = await quoted()
    const { call } = market.fixture
    const put = await call('PUT', '/v1/mm/protections', {
      headers: ADA,
      body: { windows: [{ ms: 60_000, maxContracts: 1 }] },
    })
    expect(put.status).toBe(200)
    await commitProven(market.fixture, market.requestId)
    return submit(market.fixture, market.requestId)
  },
  maker_suspended: async () => {
    const settings = RELAY_SETTINGS.breaker
    const breaker = { ...settings, suspensionMs: 60_000, minOutcomes: 1, below: 100 }
    const { fixture, requestId, quoteId, socket } = await quoted({ wallet: TAKER }, { ...KEYS, breaker })
    const running = commit(fixture, requestId)
    await socket.next()
    await fixture.call('POST', `/v1/mm/quotes/${quoteId}/decline`, { headers: ADA })
    await running
    const other = await fixture.open()
    const answer = await submit(fixture, other.requestId)
    expect(answer.body).toMatchObject({
      until: expect.stringMatching(/^\d{4}-/),
      because: [{ at: expect.any(String), kind: 'declined', requestId, quoteId }],
    })
    return answer
  },
  outside_protections: async () => {
    const fixture = await startServer()
    await fixture.call('PUT', '/v1/mm/protections', { headers: ADA, body: { maxQuoteSize: 10 } })
    const { requestId } = await fixture.open()
    return submit(fixture, requestId)
  },
  quote_locked: whileAsked(({ fixture, requestId }) => submit(fixture, requestId)),
  invalid_package: calling('POST', '/quote-requests', {
    body: {
      ...openingWith({}),
      option: { legs: [1, -1].map((quantity) => ({ optionType: 'call', strikeBps: 4_500, quantity })), expiryMs: 4e12 },
    },
  }),
  client_request_id_reused: async () => {
    const { call } = await startServer()
    const clientRequestId = '1f0e8d6c-5b4a-4c3d-9e2f-7a6b5c4d3e2f'
    await call('POST', '/quote-requests', { body: { ...openingWith({}), clientRequestId } })
    return call('POST', '/quote-requests', { body: { ...openingWith({ wallet: TAKER }), clientRequestId } })
  },
  option_expired: calling('POST', '/quote-requests', { body: openingWith({ option: { expiryMs: 1_000 } }) }),
  side_mismatch: quoting({ side: 'sell' }),
  size_too_small: quoting({ side: 'sell', size: 49 }, { trade: { side: 'sell', size: contracts(100n) } }),
  price_out_of_range: quoting({ price: 1 }),
  price_above_max_payoff: quoting({ price: 0.56 }),
  fill_below_one: quoting({ price: 0.5 }, { trade: { side: 'buy', budget: usd6(400_000n) } }),
  maker_insufficient_balance: quoting({}, {}, ({ chain }) => chain.wallets.set(walletOf('ada'), { core: POOR })),
  maker_insufficient_allowance: quoting({}, {}, ({ chain }) =>
    chain.wallets.set(walletOf('ada'), { core: UNAPPROVED }),
  ),
  wallet_mismatch: async () => {
    const { fixture, requestId } = await quoted({ wallet: OTHER_TAKER })
    return commit(fixture, requestId)
  },
  proof_required: async () => {
    const { fixture, requestId } = await quoted({}, { ...KEYS, commitProof: 'required' })
    return commit(fixture, requestId)
  },
  commit_in_progress: whileAsked(({ fixture, requestId }) => commit(fixture, requestId, { wallet: OTHER_TAKER })),
  position_too_small: calling('POST', '/quote-requests', {
    body: openingWith({ wallet: TAKER, trade: { side: 'sell', size: 1, reduceOnly: true } }),
  }),
  too_many_unfilled_orders: async () => {
    const { fixture } = await committed({ relay: { ...KEYS, maxUnfilledOrders: 1 } })
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    return commitProven(fixture, requestId)
  },
  already_committed: async () => {
    const { fixture, requestId } = await committed()
    return commit(fixture, requestId, { wallet: OTHER_TAKER })
  },
  no_valid_quotes: async () => {
    const fixture = await startServer()
    return commit(fixture, (await fixture.open()).requestId)
  },
  no_acceptable_quote: async () => {
    const { fixture, requestId } = await quoted()
    return commit(fixture, requestId, { limitPrice: 0.01 })
  },
  quote_changed: async () => {
    const { fixture, requestId } = await quoted()
    return commit(fixture, requestId, { expectedQuoteId: crypto.randomUUID() })
  },
  series_not_registered: async () => {
    const { fixture, requestId } = await quoted()
    fixture.chain.registered.clear()
    return commit(fixture, requestId)
  },
  amount_too_large: async () => {
    const { fixture, requestId } = await quoted()
    const { registered } = fixture.chain
    for (const [seriesId, series] of registered) registered.set(seriesId, { ...series, room: contracts(1n) })
    return commit(fixture, requestId)
  },
  series_halted: async () => {
    const { fixture, requestId } = await quoted()
    registerSeries(fixture.chain, CALL_BUY, true)
    return commit(fixture, requestId)
  },
  no_maker_confirmed: async () => {
    const { fixture, socket, requestId, quoteId } = await quoted()
    const running = commit(fixture, requestId)
    await socket.next()
    await fixture.relay.decline({ makerId: 'ada', quoteId })
    return running
  },
  no_pending_acceptance: async () => {
    const { fixture, quoteId } = await quoted()
    return confirm(fixture, quoteId, `0x${'11'.repeat(65)}`)
  },
  invalid_signature: whileAsked(({ fixture, quoteId }) => confirm(fixture, quoteId, `0x${'11'.repeat(65)}`)),
  chain_unavailable: quoting({}, {}, ({ chain }) => {
    chain.down = true
  }),
}
