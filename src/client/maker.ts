import { getAddress } from 'viem/utils'
import { type Order, orderDomain, orderTypedData } from '../domain/order.ts'
import { encodeConfirm } from '../wire/confirm.ts'
import { decodeMakerBook } from '../wire/maker-book.ts'
import { decodeHistory } from '../wire/maker-history.ts'
import { decodeMakerMessage, type SignatureRequest } from '../wire/maker-messages.ts'
import { decodeProtectionsAnswer, encodeProtections } from '../wire/maker-protections.ts'
import { decodeStanding } from '../wire/maker-record.ts'
import { decodeMakerStreamEvent } from '../wire/maker-stream.ts'
import { decodeQuoted, decodeWithdrawn, encodeSubmitQuote } from '../wire/submit-quote.ts'
import { checkMakerOrder, type Offer } from './check-order.ts'
import { decodeEach, TIMING } from './connection.ts'
import { createPublicActions } from './discovery.ts'
import { OrderMismatchError, RelayError } from './errors.ts'
import { type CallOptions, createHttp, nothing } from './http.ts'
import type { MakerClient, MakerOptions, QuoteInput } from './maker-client.ts'
import { createOfferBook } from './offer-book.ts'
import { retryUntilAnswered } from './retry.ts'
import { followSocket } from './socket.ts'
import { followStream } from './sse.ts'
import { createWallet, type Wallet } from './wallet.ts'
import { createWalletActions } from './wallet-actions.ts'

/** Ample beside the relay's 130 s (decision C7), and short beside an option's life: an open order is a free option. */
const MAX_ORDER_VALIDITY_MS = 600_000

/**
 * Makes a client for those who quote. Nothing is sent until it is called.
 * @param options - The relay, the key, the wallet and the contracts.
 * @returns The client.
 * @example
 * ```ts
 * import { createMakerClient } from 'rfqctl/client'
 * import { http } from 'viem'
 * import { privateKeyToAccount } from 'viem/accounts'
 *
 * const maker = createMakerClient({
 *   url: 'http://127.0.0.1:8787',
 *   apiKey: 'the secret of rfqctl keys create',
 *   account: privateKeyToAccount('0x0202020202020202020202020202020202020202020202020202020202020202'),
 *   chain: {
 *     chainId: 31_337,
 *     settlementAddress: '0x1000000000000000000000000000000000000001',
 *     coreAddress: '0x1000000000000000000000000000000000000002',
 *     transport: http('http://127.0.0.1:8545'),
 *   },
 * })
 * ```
 */
export function createMakerClient({
  url,
  wsUrl = url.replace(/^http/, 'ws'),
  apiKey,
  account,
  chain,
  maxOrderValidityMs = MAX_ORDER_VALIDITY_MS,
  fetch,
  timing: ownTiming,
}: MakerOptions): MakerClient {
  const timing = { ...TIMING, ...ownTiming }
  const { clock } = timing
  const headers: Record<string, string> = apiKey === null ? {} : { 'x-api-key': apiKey }
  const http = createHttp({ url, clock, headers, ...(fetch === undefined ? {} : { fetch }) })
  const publicActions = createPublicActions(http)
  const offers = createOfferBook(clock.now)
  const expectedDomain = orderDomain(chain.chainId, chain.settlementAddress)
  let wallet: Wallet | null = null

  function ownWallet(): Wallet {
    wallet ??= createWallet({ account, setup: chain })
    return wallet
  }

  async function submitQuote({ request, price, size, expiresInMs = null, signal }: QuoteInput & CallOptions) {
    const quote = { maker: account.address, side: request.terms.trade.side, price, size }
    const body = encodeSubmitQuote({ requestId: request.requestId, submission: { ...quote, expiresInMs } })
    const expiresAt = expiresInMs === null ? request.expiresAt : Math.min(clock.now() + expiresInMs, request.expiresAt)
    const pending = offers.add(request, { quote, expiresAt })
    try {
      const answer = await http.call('POST', '/v1/mm/quotes', { body, signal, decode: decodeQuoted })
      pending.accepted(answer.quoteId)
      return answer
    } catch (error) {
      if (error instanceof RelayError && error.status < 500) pending.refused()
      else pending.lost()
      throw error
    }
  }

  /** Unix seconds: the chain's time where it can be read and is ahead, as on a chain whose clock was moved. */
  async function chainTime(): Promise<number> {
    const here = Math.floor(clock.now() / 1_000)
    if (chain.transport === undefined) return here
    const block = await ownWallet()
      .publicClient.getBlock()
      .catch(() => null)
    return block === null ? here : Math.max(here, Number(block.timestamp))
  }

  async function confirmOrder({
    acceptance: { requestId, quoteId, order, domain, deadline },
    offer,
    signal,
  }: { acceptance: SignatureRequest; offer?: Offer } & CallOptions): Promise<void> {
    const known = offer === undefined ? offers.of(requestId) : [offer]
    const time = { now: clock.now(), chainTime: await chainTime(), maxValidityS: Math.ceil(maxOrderValidityMs / 1_000) }
    const found = known.map((own) => checkMakerOrder({ order, domain, expectedDomain, offer: own, ...time }))
    const faults = found.find((list) => list.length === 0) ?? found[0] ?? ['this maker made no offer for the request']
    if (faults.length > 0) throw new OrderMismatchError(faults)
    if (!offers.claim(requestId, order.nonce)) {
      throw new OrderMismatchError(['an order with another nonce was already signed for this request'])
    }
    const signature = await account.signTypedData(orderTypedData(withChecksums(order), expectedDomain))
    const call = () =>
      http.call('POST', `${pathOf(quoteId)}/confirm`, { body: encodeConfirm(signature), signal, decode: nothing })
    await retryUntilAnswered(call, { timing, until: deadline, signal })
  }

  return {
    ...publicActions,
    ...createWalletActions({ wallet: ownWallet, publicActions }),
    watchQuoteRequests: ({ onConnectionState, signal } = {}) => {
      const path = '/v1/mm/quote-requests/stream'
      const open: Parameters<typeof followStream>[0]['open'] = (headers, link) =>
        http.openStream(path, { headers, link })
      const messages = followStream({ url: `${url}${path}`, open, signal, timing, onConnectionState })
      return decodeEach(messages, ({ event = '', data }) => decodeMakerStreamEvent({ event, data }), onConnectionState)
    },
    watchOrders: ({ onConnectionState, signal } = {}) => {
      const socket = followSocket({
        url: `${wsUrl.replace(/\/+$/, '')}/maker/v1/ws`,
        apiKey,
        signal,
        timing,
        onConnectionState,
      })
      return decodeEach(socket, decodeMakerMessage, onConnectionState)
    },
    submitQuote,
    withdrawQuote: async ({ quoteId, signal }) => {
      await http.call('DELETE', pathOf(quoteId), { signal, decode: nothing })
      offers.withdraw(quoteId)
    },
    withdrawQuotes: async ({ signal, ...which } = {}) =>
      http.call('DELETE', `/v1/mm/quotes?${new URLSearchParams(which)}`, { signal, decode: decodeWithdrawn }),
    getProtections: (options) => http.call('GET', PROTECTIONS, { ...options, decode: decodeProtectionsAnswer }),
    setProtections: ({ protections, signal }) =>
      http.call('PUT', PROTECTIONS, {
        body: encodeProtections(protections),
        signal,
        decode: decodeProtectionsAnswer,
      }),
    resetProtections: (options) =>
      http.call('POST', `${PROTECTIONS}/reset`, { ...options, decode: decodeProtectionsAnswer }),
    getStanding: (options) => http.call('GET', '/v1/mm/standing', { ...options, decode: decodeStanding }),
    confirmOrder,
    declineOrder: ({ quoteId, reason, signal }) =>
      http.call('POST', `${pathOf(quoteId)}/decline`, {
        body: reason === undefined ? {} : { reason },
        signal,
        decode: nothing,
      }),
    listQuoteOutcomes: ({ cursor, since, status, signal } = {}) => {
      const query = new URLSearchParams({
        ...(cursor === undefined ? {} : { cursor }),
        ...(since === undefined ? {} : { since: new Date(since).toISOString() }),
        ...(status === undefined ? {} : { status }),
      })
      return http.call('GET', `/v1/mm/executions?${query}`, { signal, decode: decodeHistory })
    },
    getOwnBook: (options) => http.call('GET', '/v1/mm/quotes', { ...options, decode: decodeMakerBook }),
  }
}

const PROTECTIONS = '/v1/mm/protections'

const pathOf = (quoteId: string): string => `/v1/mm/quotes/${encodeURIComponent(quoteId)}`

/** The relay's addresses in the one form that signing takes; their bytes were checked before. */
const withChecksums = (order: Order): Order => ({
  ...order,
  maker: getAddress(order.maker),
  taker: getAddress(order.taker),
})
