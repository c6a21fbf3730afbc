import type { LinkedAbort } from '@rfqctl/lib/abort'
import { type Order, orderDomain, orderTypedData } from '@rfqctl/protocol/domain/order'
import type { Hex } from '@rfqctl/protocol/domain/units'
import { parseJson } from '@rfqctl/protocol/wire/json'
import { decodeMakerBook } from '@rfqctl/protocol/wire/maker-book'
import { decodeHistory } from '@rfqctl/protocol/wire/maker-history'
import { decodeMakerMessage, type SignatureRequest } from '@rfqctl/protocol/wire/maker-messages'
import { decodeProtectionsAnswer, encodeProtections } from '@rfqctl/protocol/wire/maker-protections'
import { decodeStanding } from '@rfqctl/protocol/wire/maker-record'
import { decodeMakerStreamEvent } from '@rfqctl/protocol/wire/maker-stream'
import { decodeWithdrawn } from '@rfqctl/protocol/wire/submit-quote'
import { getAddress } from 'viem/utils'
import { checkMakerOrder, type Offer } from './check-order.ts'
import { decodeEach, TIMING } from './connection.ts'
import { createPublicActions } from './discovery.ts'
import { OrderMismatchError, RelayError } from './errors.ts'
import { type CallOptions, createHttp, nothing } from './http.ts'
import { createMakerCalls, pathOf } from './maker-calls.ts'
import type { MakerClient, MakerOptions, QuoteInput, SubmittedQuote } from './maker-client.ts'
import { createMakerSocket } from './maker-socket.ts'
import { createOfferBook } from './offer-book.ts'
import { once } from './once.ts'
import { quotedPrices } from './quoted-prices.ts'
import { retryUntilAnswered } from './retry.ts'
import { addressOf, connectSigner, reachesChain } from './signer.ts'
import { followStream } from './sse.ts'
import { createWallet } from './wallet.ts'
import { createWalletActions } from './wallet-actions.ts'

/** Ample beside the relay's 130 s (decision C7), and short beside an option's life: an open order is a free option. */
const MAX_ORDER_VALIDITY_MS = 600_000

/**
 * Makes a client for a maker. Nothing is sent until it is called.
 * @param options - The relay, the key, the wallet and the contracts.
 * @returns The client.
 * @example
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
 */
export function createMakerClient({
  url,
  wsUrl = url.replace(/^http/, 'ws'),
  apiKey,
  account,
  maker,
  chain,
  maxOrderValidityMs = MAX_ORDER_VALIDITY_MS,
  fetch,
  timing: ownTiming,
}: MakerOptions): MakerClient {
  const timing = { ...TIMING, ...ownTiming }
  const { clock } = timing
  const headers: Record<string, string> = apiKey === null ? {} : { 'x-api-key': apiKey }
  const http = createHttp({ url, clock, headers, ...(fetch === undefined ? {} : { fetch }) })
  const socket = createMakerSocket({ url: `${wsUrl.replace(/\/+$/, '')}/maker/v1/ws`, apiKey, timing })
  const calls = createMakerCalls({ http, socket, clock })
  const publicActions = createPublicActions(http)
  const offers = createOfferBook(clock.now)
  const expectedDomain = orderDomain(chain.chainId, chain.settlementAddress)
  const signer = once(() => connectSigner(account, chain))
  const ownWallet = once(async () => createWallet({ account: await signer(), owner: maker, setup: chain }))
  const ownAddress = async () => maker ?? addressOf(account) ?? (await signer()).address

  async function submitQuote(input: QuoteInput & CallOptions): Promise<SubmittedQuote> {
    const { request, price, bid, size, expiresInMs = null, firm = false, signal } = input
    const { requestId, terms } = request
    const quote = { maker: await ownAddress(), ...quotedPrices(terms, { price, bid }), size }
    const expiresAt = expiresInMs === null ? request.expiresAt : Math.min(clock.now() + expiresInMs, request.expiresAt)
    const pending = offers.add(request, { quote, expiresAt })
    const submission = { ...quote, expiresInMs, firm }
    const { toSign, ...taken } = await calls.quote({ requestId, submission, signal }).catch((error: unknown) => {
      if (error instanceof RelayError && error.status < 500) pending.refused()
      else pending.lost()
      throw error
    })
    pending.accepted(taken.quoteId)
    if (toSign === undefined) return taken
    const { order, otherOrder, domain } = toSign
    const signOwn = (own: Order) => sign({ requestId, order: own, domain }, [{ terms, quote, expiresAt }])
    const signature = await signOwn(order)
    const both = otherOrder === undefined ? {} : { otherSignature: await signOwn(otherOrder) }
    const isFirm = await makeFirm({ quoteId: taken.quoteId, signature, ...both, signal })
    return isFirm ? { ...taken, isFirm } : taken
  }

  /** False where the quote was replaced by one with another order, has lapsed, or its maker is being asked to sign it. */
  async function makeFirm(input: Parameters<typeof calls.makeFirm>[0]): Promise<boolean> {
    try {
      await calls.makeFirm(input)
      return true
    } catch (error) {
      if (error instanceof RelayError && STILL_SOFT.includes(error.code)) return false
      throw error
    }
  }

  /** Unix seconds: the chain's time where it can be read and is ahead, as on a chain whose clock was moved. */
  async function chainTime(): Promise<number> {
    const here = Math.floor(clock.now() / 1_000)
    if (!reachesChain(account, chain)) return here
    const { publicClient } = await ownWallet()
    const block = await publicClient.getBlock().catch(() => null)
    return block === null ? here : Math.max(here, Number(block.timestamp))
  }

  async function confirmOrder(input: { acceptance: SignatureRequest; offer?: Offer } & CallOptions): Promise<void> {
    const { offer, signal } = input
    const { requestId, quoteId, order, domain, deadline } = input.acceptance
    const known = offer === undefined ? offers.of(requestId) : [offer]
    const signature = await sign({ requestId, order, domain }, known)
    await retryUntilAnswered(() => calls.confirm({ quoteId, signature, signal }), { timing, until: deadline, signal })
  }

  /** Signs an order that is one of the offers. Throws an `OrderMismatchError` for any other order. */
  async function sign(
    { requestId, order, domain }: Pick<SignatureRequest, 'requestId' | 'order' | 'domain'>,
    known: readonly Offer[],
  ): Promise<Hex> {
    const time = { now: clock.now(), chainTime: await chainTime(), maxValidityS: Math.ceil(maxOrderValidityMs / 1_000) }
    const found = known.map((own) => checkMakerOrder({ order, domain, expectedDomain, offer: own, ...time }))
    const faults = found.find((list) => list.length === 0) ?? found[0] ?? ['this maker made no offer for the request']
    if (faults.length > 0) throw new OrderMismatchError(faults)
    if (!offers.claim(requestId, order.nonce)) {
      throw new OrderMismatchError(['an order with another nonce was already signed for this request'])
    }
    return (await signer()).signTypedData(orderTypedData(withChecksums(order), expectedDomain))
  }

  return {
    ...publicActions,
    ...createWalletActions({ wallet: ownWallet, publicActions }),
    watchQuoteRequests: ({ packages = false, twoSided = false, onConnectionState, signal } = {}) => {
      const asked = [...(packages ? ['packages=true'] : []), ...(twoSided ? ['twoSided=true'] : [])]
      const path = `/v1/mm/quote-requests/stream${asked.length === 0 ? '' : `?${asked.join('&')}`}`
      const open: Parameters<typeof followStream>[0]['open'] = (headers, link) =>
        http.openStream(path, { headers, link })
      const otherWay = (lastEventId: string | undefined, link: LinkedAbort) =>
        socket.openRequests({ lastEventId, packages, twoSided }, link)
      const events = followStream({ url: `${url}${path}`, open, otherWay, signal, timing, onConnectionState })
      return decodeEach(events, decodeEvent, onConnectionState)
    },
    watchOrders: ({ onConnectionState, signal } = {}) => {
      const messages = socket.followMessages({ signal, onConnectionState })
      return decodeEach(messages, decodeMakerMessage, onConnectionState)
    },
    submitQuote,
    withdrawQuote: async ({ quoteId, signal }) => {
      await calls.withdraw({ quoteId, signal })
      offers.withdraw(quoteId)
    },
    withdrawQuotes: async ({ signal, ...which } = {}) =>
      http.call('DELETE', `/v1/mm/quotes?${new URLSearchParams(which)}`, { signal, decode: decodeWithdrawn }),
    setLevels: calls.setLevels,
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

/** Refusals of a firm quote after which the accepted quote, or another of this maker, remains and is soft. */
const STILL_SOFT: readonly string[] = ['quote_not_found', 'quote_locked', 'invalid_signature']

const PROTECTIONS = '/v1/mm/protections'

/** Decodes an event of the stream, which has its data as text, or of the socket. */
const decodeEvent = ({ event = '', data }: { event?: string | undefined; data: unknown }) =>
  decodeMakerStreamEvent({ event, data: typeof data === 'string' ? parseJson(data) : data })

/** Order with checksummed addresses, as signing requires; their bytes were checked before. */
const withChecksums = (order: Order): Order => ({
  ...order,
  maker: getAddress(order.maker),
  taker: getAddress(order.taker),
})
