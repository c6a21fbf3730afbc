import type { LocalAccount } from 'viem'
import { getAddress } from 'viem/utils'
import { type Order, orderDomain, orderTypedData } from '../domain/order.ts'
import type { Contracts, Usd6 } from '../domain/units.ts'
import { encodeConfirm } from '../wire/confirm.ts'
import { decodeMakerBook, type OwnQuote } from '../wire/maker-book.ts'
import { decodeHistory, type QuoteOutcome } from '../wire/maker-history.ts'
import { decodeMakerMessage, type MakerSocketMessage, type SignatureRequest } from '../wire/maker-messages.ts'
import { type AnnouncedRequest, decodeMakerStreamEvent, type MakerStreamEvent } from '../wire/maker-stream.ts'
import { decodeQuoted, encodeSubmitQuote } from '../wire/submit-quote.ts'
import { checkMakerOrder, type Offer } from './check-order.ts'
import { createPublicActions, type PublicActions } from './discovery.ts'
import { OrderMismatchError, RelayError } from './errors.ts'
import { type CallOptions, createHttp, nothing } from './http.ts'
import { decodeEach, type OnLink, TIMING, type Timing } from './link.ts'
import { createOffers } from './offers.ts'
import { untilAnswered } from './retry.ts'
import { followSocket } from './socket.ts'
import { followStream } from './sse.ts'
import { type ChainSetup, createWallet, type Wallet } from './wallet.ts'
import { createWalletActions, type WalletActions } from './wallet-actions.ts'

/** How a maker's client is set up. */
export type MakerOptions = {
  /** The relay's HTTP address. */
  url: string
  /** The relay's WebSocket address; the HTTP one with another scheme when absent. */
  wsUrl?: string
  /** Null where the relay runs in open dev mode (decision M5). */
  apiKey: string | null
  /** The wallet that quotes, signs and pays. */
  account: LocalAccount
  /** The contracts that orders are signed for; the transport is needed only to read and write the chain. */
  chain: ChainSetup
  /** How long a signed order may stay open to its taker, milliseconds; longer ones are not signed. */
  maxOrderValidityMs?: number
  fetch?: typeof globalThis.fetch
  timing?: Partial<Timing>
}

/** What a maker offers: micro-dollars per option, options, and a lifetime in milliseconds (null: while the request is open). */
export type QuoteInput = {
  request: AnnouncedRequest
  price: Usd6
  size: Contracts
  expiresInMs?: number | null
}

/** Which outcomes: after a cursor, from a time on (Unix milliseconds), of one kind. */
export type HistoryInput = { cursor?: string; since?: number; status?: QuoteOutcome['status'] }

/**
 * A maker over the wire. Every call takes a signal and rejects with its reason, with `RelayError` (a refusal, by code) or
 * with `RelayUnreachableError`.
 */
export type MakerClient = PublicActions &
  WalletActions & {
    /** Open requests and their ends, from a snapshot on, over as many connections as it takes. */
    watchQuoteRequests: (input?: { onLink?: OnLink } & CallOptions) => AsyncGenerator<MakerStreamEvent, void>
    /** What follows a trade, over as many connections as it takes; a pending acceptance comes again after each (decision C5). */
    watchOrders: (input?: { onLink?: OnLink } & CallOptions) => AsyncGenerator<MakerSocketMessage, void>
    /** Quotes, or quotes anew. Resolves with the price as it stands in the book (decision U2). */
    submitQuote: (input: QuoteInput & CallOptions) => Promise<{ quoteId: string; price: Usd6 }>
    withdrawQuote: (input: { quoteId: string } & CallOptions) => Promise<void>
    /**
     * Signs an order and confirms it. The order is signed only if it is this client's own offer, or `offer` where another
     * process made it; else rejects with `OrderMismatchError`. A lost connection is tried again until the deadline.
     */
    confirmOrder: (input: { acceptance: SignatureRequest; offer?: Offer } & CallOptions) => Promise<void>
    /** Lets a taker go on to the next maker at once. */
    declineOrder: (input: { quoteId: string; reason?: string } & CallOptions) => Promise<void>
    /** How quotes ended, oldest first; `nextCursor` is null on the last page. */
    listQuoteOutcomes: (
      input?: HistoryInput & CallOptions,
    ) => Promise<{ outcomes: QuoteOutcome[]; nextCursor: string | null }>
    /** Live quotes, and orders that wait for a signature. */
    getOwnBook: (options?: CallOptions) => Promise<{ quotes: OwnQuote[]; pending: SignatureRequest[] }>
  }

/** Ample beside the relay's 130 s (decision C7), and short beside an option's life: an open order is a free option. */
const MAX_ORDER_VALIDITY_MS = 600_000

/** A client for those who quote. */
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
  const offers = createOffers(clock.now)
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
    const placed = offers.place(request, { quote, expiresAt })
    try {
      const answer = await http.call('POST', '/v1/mm/quotes', { body, signal, decode: decodeQuoted })
      placed.accepted(answer.quoteId)
      return answer
    } catch (error) {
      if (error instanceof RelayError && error.status < 500) placed.refused()
      else placed.lost()
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
      throw new OrderMismatchError(['an order of another nonce was signed for this request before'])
    }
    const signature = await account.signTypedData(orderTypedData(withChecksums(order), expectedDomain))
    const call = () =>
      http.call('POST', `${pathOf(quoteId)}/confirm`, { body: encodeConfirm(signature), signal, decode: nothing })
    await untilAnswered(call, { timing, until: deadline, signal })
  }

  return {
    ...publicActions,
    ...createWalletActions({ wallet: ownWallet, publicActions }),
    watchQuoteRequests: ({ onLink, signal } = {}) => {
      const path = '/v1/mm/quote-requests/stream'
      const open: Parameters<typeof followStream>[0]['open'] = (headers, link) =>
        http.openStream(path, { headers, link })
      const messages = followStream({ url: `${url}${path}`, open, signal, timing, onLink })
      return decodeEach(messages, ({ event = '', data }) => decodeMakerStreamEvent({ event, data }), onLink)
    },
    watchOrders: ({ onLink, signal } = {}) => {
      const socket = followSocket({
        url: `${wsUrl.replace(/\/+$/, '')}/maker/v1/ws`,
        apiKey,
        signal,
        timing,
        onLink,
      })
      return decodeEach(socket, decodeMakerMessage, onLink)
    },
    submitQuote,
    withdrawQuote: async ({ quoteId, signal }) => {
      await http.call('DELETE', pathOf(quoteId), { signal, decode: nothing })
      offers.withdraw(quoteId)
    },
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

const pathOf = (quoteId: string): string => `/v1/mm/quotes/${encodeURIComponent(quoteId)}`

/** The relay's addresses in the one form that signing takes; their bytes were checked before. */
const withChecksums = (order: Order): Order => ({
  ...order,
  maker: getAddress(order.maker),
  taker: getAddress(order.taker),
})
