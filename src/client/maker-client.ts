import type { OwnStanding } from '@rfqctl/protocol/domain/maker-record'
import type { Level } from '@rfqctl/protocol/domain/surface'
import type { Address, Contracts, Usd6 } from '@rfqctl/protocol/domain/units'
import type { OwnQuote } from '@rfqctl/protocol/wire/maker-book'
import type { QuoteOutcome } from '@rfqctl/protocol/wire/maker-history'
import type { MakerSocketMessage, SignatureRequest } from '@rfqctl/protocol/wire/maker-messages'
import type { ProtectionsInput, ShownProtections } from '@rfqctl/protocol/wire/maker-protections'
import type { AnnouncedRequest, MakerStreamEvent } from '@rfqctl/protocol/wire/maker-stream'
import type { WithdrawTerms } from '@rfqctl/protocol/wire/submit-quote'
import type { Offer } from './check-order.ts'
import type { OnConnectionState, Timing } from './connection.ts'
import type { PublicActions } from './discovery.ts'
import type { CallOptions } from './http.ts'
import type { Signer } from './signer.ts'
import type { ChainSetup } from './wallet.ts'
import type { WalletActions } from './wallet-actions.ts'

/** Options of a maker's client. */
export type MakerOptions = {
  /** The relay's HTTP address. */
  url: string
  /** The relay's WebSocket address; the HTTP one with another scheme when absent. */
  wsUrl?: string
  /** The maker's key; null where the relay runs in open dev mode (decision M5). */
  apiKey: string | null
  /** The wallet that quotes, signs and pays, of any kind: a local key, a wallet client of viem, or a page's injected wallet. */
  account: Signer
  /**
   * The wallet that pays, where `account` is a key that it has authorised to sign its orders; the wallet of `account` when absent. The
   * client then reads this wallet, and calls that would send a transaction reject: such a key only signs orders.
   */
  maker?: Address
  /** The contracts that orders are signed for; the transport is needed only to read and write the chain. */
  chain: ChainSetup
  /**
   * Longest time for which a signed order may stay open to its taker, milliseconds; longer ones are not signed. Ten minutes when absent.
   */
  maxOrderValidityMs?: number
  /** Replacement for the global `fetch`. */
  fetch?: typeof globalThis.fetch
  /** Replacement for the machine's clock and the usual pauses. */
  timing?: Partial<Timing>
}

/** Quote of a maker. */
export type QuoteInput = {
  /** The request to quote on. */
  request: AnnouncedRequest
  /** Micro-dollars per option; on both sides the ask, which a taker that buys pays. */
  price: Usd6
  /** The price that a taker who sells gets, micro-dollars, less than `price`: where the request asks for both sides, and only there. */
  bid?: Usd6
  /** Most options at this price. */
  size: Contracts
  /** Milliseconds; null or absent: while the request is open. */
  expiresInMs?: number | null
  /** Whether the order is signed at once, so that a commit need not ask: only where the request names its wallet. */
  firm?: boolean
}

/** Quote that the relay accepted. */
export type SubmittedQuote = {
  quoteId: string
  /** Price in the book, micro-dollars per option (decision U2). */
  price: Usd6
  /** Whether its order is signed already, for the taker that commits; absent: no. */
  isFirm?: true
}

/** Filter of quote outcomes; all when empty. */
export type HistoryInput = {
  /** The `nextCursor` of the page before. */
  cursor?: string
  /** Only outcomes from this time on, Unix milliseconds. */
  since?: number
  status?: QuoteOutcome['status']
}

/**
 * Client of a maker. Besides the errors named, every call rejects with `RelayError` (`invalid_api_key` and `maker_blocked` among them),
 * with `RelayUnreachableError`, or with the reason of its signal.
 */
export type MakerClient = PublicActions &
  WalletActions & {
    /**
     * Watches quote requests: a snapshot of the open ones, then each as it opens and ends, over as many connections as needed. They
     * arrive on the socket of `watchOrders` while that is open and the relay offers it, else on the stream.
     * @param input.packages - Whether packages are included, whose `terms.option` has legs; only single calls and puts when absent.
     * @param input.twoSided - Whether requests for both sides are included, whose `terms.trade.side` is `both`; none when absent.
     * @param input.onConnectionState - Receives each change of the connection.
     * @returns The events, without an end of their own.
     * @throws RelayError `invalid_api_key`, `maker_blocked`.
     * @example
     * import { contracts, usd6 } from 'rfqctl/client'
     *
     * for await (const event of maker.watchQuoteRequests({ signal })) {
     *   if (event.kind !== 'quote_request') continue
     *   const { request } = event
     *   await maker.submitQuote({ request, price: usd6(120_000n), size: contracts(500n) })
     * }
     */
    watchQuoteRequests: (
      input?: { packages?: boolean; twoSided?: boolean; onConnectionState?: OnConnectionState } & CallOptions,
    ) => AsyncGenerator<MakerStreamEvent, void>
    /**
     * Watches the orders that quotes win, and their outcomes, over as many connections as needed. An order that still waits for its
     * signature is repeated on each connection (decision C5).
     * @param input.onConnectionState - Receives each change of the connection.
     * @returns The events, without an end of their own.
     * @throws RelayError `invalid_api_key`, `maker_blocked`.
     * @example
     * for await (const message of maker.watchOrders({ signal })) {
     *   if (message.kind === 'accepted') await maker.confirmOrder({ acceptance: message.acceptance })
     *   if (message.kind === 'confirmed') console.log('won', message.requestId)
     * }
     */
    watchOrders: (
      input?: { onConnectionState?: OnConnectionState } & CallOptions,
    ) => AsyncGenerator<MakerSocketMessage, void>
    /**
     * Quotes, replacing this maker's earlier quote on the request: on the socket of `watchOrders` while that is open and the relay offers
     * it, else over HTTP. A quote whose socket is lost is sent again over HTTP.
     * @param input - The request, the price and the size.
     * @returns The quote as accepted.
     * @throws RelayError `request_not_found`, `request_closed`, `size_too_small`, `price_out_of_range`, `price_above_max_payoff`,
     * `fill_below_one`, `maker_insufficient_balance`, `maker_insufficient_allowance`, `quote_locked`. OrderMismatchError when the order
     * of a firm quote is not the offer: nothing was signed, and the quote stays without it.
     * @example
     * import { contracts, usd6 } from 'rfqctl/client'
     *
     * const { quoteId } = await maker.submitQuote({
     *   request: announced,
     *   price: usd6(120_000n),
     *   size: contracts(500n),
     *   expiresInMs: 5_000,
     * })
     */
    submitQuote: (input: QuoteInput & CallOptions) => Promise<SubmittedQuote>
    /**
     * Withdraws a quote.
     * @param input.quoteId - The quote.
     * @returns Nothing, once it is withdrawn.
     * @throws RelayError `quote_not_found`, `quote_locked`.
     * @example
     * const { quotes } = await maker.getOwnBook()
     * for (const { quoteId } of quotes) await maker.withdrawQuote({ quoteId })
     */
    withdrawQuote: (input: { quoteId: string } & CallOptions) => Promise<void>
    /**
     * Withdraws quotes in one step: all of them, or all of a series or a market. Quotes that are out for signature stay.
     * @param input - Quotes to withdraw; all when empty.
     * @returns The number of withdrawn quotes.
     * @throws RelayError when the relay refuses.
     * @example const withdrawn = await maker.withdrawQuotes()
     */
    withdrawQuotes: (input?: WithdrawTerms & CallOptions) => Promise<number>
    /**
     * Replaces the indicative levels of this maker: prices at which it would trade now, which bind it to nothing. Marks follow from them.
     * @param input.levels - All levels, at most 100; empty withdraws them.
     * @returns The number of levels, and the milliseconds until the relay forgets them unless they are sent again.
     * @throws RelayError `invalid_request`.
     * @example
     * import { usd6 } from 'rfqctl/client'
     *
     * await maker.setLevels({ levels: [{ seriesId, bid: usd6(110_000n), ask: usd6(130_000n) }] })
     */
    setLevels: (input: { levels: readonly Level[] } & CallOptions) => Promise<{ count: number; keptMs: number }>
    /**
     * Reads the protections that the relay keeps for this maker.
     * @param options - May carry a signal.
     * @returns Its protections, all off where it has set none, and the trip that blocks its quotes now; null when none does.
     * @throws RelayError when the relay refuses.
     * @example
     * const { trip } = await maker.getProtections()
     * if (trip !== null) console.log('tripped after', trip.used.accepted, 'orders')
     */
    getProtections: (options?: CallOptions) => Promise<ShownProtections>
    /**
     * Replaces the protections that the relay keeps for this maker. A protection that is left out is off; a trip stays until it is reset.
     * @param input.protections - All of them.
     * @returns The present protections.
     * @throws RelayError `invalid_request`.
     * @example
     * const minute = { ms: 60_000, maxAccepted: 10, maxContracts: null, maxNotional: null, maxCollateral: null }
     * await maker.setProtections({
     *   protections: { cancelOnDisconnect: { graceMs: 2_000, channels: 'all' }, windows: [minute], freezeMs: 30_000 },
     * })
     */
    setProtections: (input: { protections: ProtectionsInput } & CallOptions) => Promise<ShownProtections>
    /**
     * Ends a trip: the relay accepts quotes again, and the windows restart their counts.
     * @param options - May carry a signal.
     * @returns The present protections.
     * @throws RelayError when the relay refuses.
     * @example
     * for await (const message of maker.watchOrders({ signal })) {
     *   if (message.kind === 'protection_tripped') await maker.resetProtections()
     * }
     */
    resetProtections: (options?: CallOptions) => Promise<ShownProtections>
    /**
     * Reads this maker's own record: promises kept and broken, signing speed, and quotes won.
     * @param options - May carry a signal.
     * @returns The record as the relay keeps it, the same on all its nodes.
     * @throws RelayError `invalid_api_key` for makers without a key, too: they have no record.
     * @example
     * const { score, suspension } = await maker.getStanding()
     * if (suspension !== null) console.log('suspended until', new Date(suspension.until))
     * else console.log('score', score)
     */
    getStanding: (options?: CallOptions) => Promise<OwnStanding>
    /**
     * Signs an order and confirms it. It is signed only if it is this client's own offer, on the contract that the client was made for.
     * The call is repeated after a lost connection, until the deadline.
     * @param input.acceptance - The order that waits.
     * @param input.offer - The offer, where another process made it.
     * @returns Nothing, once the relay has accepted the signature.
     * @throws OrderMismatchError when the order is not the offer: nothing was signed. RelayError `no_pending_acceptance` when it
     * is too late.
     * @example
     * import { OrderMismatchError } from 'rfqctl/client'
     *
     * try {
     *   await maker.confirmOrder({ acceptance })
     * } catch (error) {
     *   if (!(error instanceof OrderMismatchError)) throw error
     *   console.error(error.faults)
     *   await maker.declineOrder({ quoteId: acceptance.quoteId, reason: 'not my offer' })
     * }
     */
    confirmOrder: (input: { acceptance: SignatureRequest; offer?: Offer } & CallOptions) => Promise<void>
    /**
     * Declines to sign an order, so that the relay asks the next maker at once.
     * @param input.quoteId - The quote that won.
     * @param input.reason - Reason, which the audit log keeps.
     * @returns Nothing, once the relay knows.
     * @throws RelayError `no_pending_acceptance`.
     * @example await maker.declineOrder({ quoteId: acceptance.quoteId, reason: 'risk limit' })
     */
    declineOrder: (input: { quoteId: string; reason?: string } & CallOptions) => Promise<void>
    /**
     * Lists the outcomes of this maker's quotes, oldest first, a page at a time.
     * @param input - Filter of the outcomes.
     * @returns A page of outcomes, and the cursor of the next; null on the last page.
     * @throws RelayError when the relay refuses.
     * @example
     * let cursor: string | null = null
     * do {
     *   const page = await maker.listQuoteOutcomes({ status: 'confirmed', ...(cursor === null ? {} : { cursor }) })
     *   for (const outcome of page.outcomes) console.log(outcome.at, outcome.requestId)
     *   cursor = page.nextCursor
     * } while (cursor !== null)
     */
    listQuoteOutcomes: (
      input?: HistoryInput & CallOptions,
    ) => Promise<{ outcomes: QuoteOutcome[]; nextCursor: string | null }>
    /**
     * Reads this maker's open offers.
     * @param options - May carry a signal.
     * @returns Its live quotes, and the orders that wait for its signature.
     * @throws RelayError when the relay refuses.
     * @example
     * const { quotes, pending } = await maker.getOwnBook()
     * for (const waiting of pending) await maker.confirmOrder({ acceptance: waiting })
     */
    getOwnBook: (options?: CallOptions) => Promise<{ quotes: OwnQuote[]; pending: SignatureRequest[] }>
  }
