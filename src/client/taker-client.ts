import type { Audience } from '@rfqctl/protocol/domain/audience'
import type { Protections } from '@rfqctl/protocol/domain/commit'
import type { GaslessFill } from '@rfqctl/protocol/domain/gasless-fill'
import type { PartnerFee } from '@rfqctl/protocol/domain/partner-fee'
import type { OpenedRequest, RequestedMarket, RequestTerms, Side } from '@rfqctl/protocol/domain/request'
import type { Address, Contracts, Hex, Usd6 } from '@rfqctl/protocol/domain/units'
import type { ShownBook, ShownQuote } from '@rfqctl/protocol/wire/best-quote'
import type { TransactionReceipt } from 'viem'
import type { OnConnectionState, Timing } from './connection.ts'
import type { PublicActions } from './discovery.ts'
import type { ApprovalMethod, CommittedTrade, Fill } from './fill.ts'
import type { GaslessInput } from './gasless.ts'
import type { CallOptions } from './http.ts'
import type { Signer } from './signer.ts'
import type { ChainSetup } from './wallet.ts'
import type { WalletActions } from './wallet-actions.ts'

/** Options of a taker's client. Calls that use the chain need `account` and `chain`. */
export type TakerOptions = {
  /** The relay's HTTP address. */
  url: string
  /** The wallet that trades, of any kind: a local key, a wallet client of viem, or a page's injected wallet. */
  account?: Signer
  /** The chain and contracts that settle trades. */
  chain?: ChainSetup
  /** Replacement for the global `fetch`. */
  fetch?: typeof globalThis.fetch
  /** Replacement for the machine's clock and the usual pauses. */
  timing?: Partial<Timing>
}

/** Request as its taker keeps it; any holder of `takerSecret` can commit and cancel it. */
export type TakerRequest = OpenedRequest & {
  /** The request's terms. */
  terms: RequestTerms
}

/** Request with the quotes on it. */
export type QuotedRequest = { request: TakerRequest; book: ShownBook }

/** A limit at which the relay commits by itself, also while the taker is away. Makers do not see it. */
export type StandingInput = {
  /** The worst price per option, micro-dollars: the most on a buy, the least on a sell. */
  limitPrice: Usd6
  /** The fewest options; absent accepts any. */
  minContracts?: Contracts | null
  /** The taker's side, where the request asks for both; else absent. */
  side?: Side
  /**
   * Signature of the commit with these terms, for the id that `requestIdOf` gives; null sends none. When absent the account signs
   * it, where it is the wallet and the relay accepts proofs.
   */
  proof?: Hex | null
}

/** Terms of a quote request to open. */
export type OpenRequestInput = Pick<RequestTerms, 'option' | 'trade'> & {
  /** Its `question` may be left out. */
  market: Omit<RequestedMarket, 'question'> & { question?: string | null }
  /** When absent, makers do not learn who asks. */
  wallet?: Address | null
  /** Whether only quotes are accepted that their makers have signed already; needs a `wallet`. */
  firmOnly?: boolean
  /**
   * Whether the seller may deliver options that it holds instead of writing them. A `reduceOnly` `trade` includes this, and
   * needs a `wallet`.
   */
  inventory?: boolean
  /** Makers that hear of it; absent: all. A relay that is older than audiences is asked nothing. */
  audience?: Audience
  /** Whether makers do not see `wallet`, but for the one that is asked to sign. */
  blind?: boolean
  /** Has the relay commit by itself once a quote is within it; needs a `wallet`. A relay that is older is asked nothing. */
  standing?: StandingInput
  /**
   * Random UUID (version 4), to keep like a key: a repeat with it is the same request, also of a program that ended before
   * the answer.
   */
  clientRequestId?: string
}

/**
 * Commit of a taker. Absent protections come from the quote it was `shown`, else from the standing limit of the request, else from
 * the best price now (decision C1); null turns one off.
 */
export type CommitInput = {
  request: TakerRequest
  /** The taker's side, where the request asks for both; that of `shown` when absent. */
  side?: Side
  /** Its price is the limit, and half of its amount the least fill. */
  shown?: ShownQuote
  /** Absent: that of the account. */
  wallet?: Address
  /**
   * Signature of `proveCommit` or `signCommit`; null sends none. When absent the account signs it, where it is the wallet and
   * the relay accepts proofs. A proof that the relay does not accept is left out, where it may be.
   */
  proof?: Hex | null
} & Partial<Protections>

/**
 * Client of a taker. Besides the errors named, every call rejects with `RelayError`, with `RelayUnreachableError`, or with the reason of
 * its signal.
 */
export type TakerClient = PublicActions &
  WalletActions & {
    /**
     * Opens a quote request, locked so that only its secret commits, polls or watches it. A lost answer opens no second request: the same
     * call is sent again, and answered with the request that it has opened.
     * @param input - The market, the option, the side with its budget or size, and the wallet.
     * @returns The request: keep it like a key, for its secret.
     * @throws RelayError `option_expired`, `position_too_small`, `too_many_requests`, `overloaded`, `client_request_id_reused`; with a
     * standing limit `proof_required`, `invalid_signature`.
     * @example
     * import { toRequestedOption, usd6 } from 'rfqctl/client'
     *
     * const series = await taker.getSeries({ seriesId })
     * const { conditionId, yesTokenId } = series
     * const request = await taker.openQuoteRequest({
     *   market: { conditionId, yesTokenId },
     *   option: toRequestedOption(series),
     *   trade: { side: 'buy', budget: usd6(100_000_000n) },
     * })
     */
    openQuoteRequest: (input: OpenRequestInput & CallOptions) => Promise<TakerRequest>
    /**
     * Opens a quote request as `openQuoteRequest` does, and answers on the same call once enough makers have quoted, the time is over, or the request has ended.
     * @param input.quotes - How many makers, 1 to 1,000; absent: the time decides.
     * @param input.waitMs - Longest wait, milliseconds; 30,000 at most, and when absent.
     * @returns The request, and its best quote then. A relay that is older than this call does not wait.
     * @throws RelayError `too_many_connections`, and all of opening alone.
     * @example
     * import { toRequestedOption, usd6 } from 'rfqctl/client'
     *
     * const series = await taker.getSeries({ seriesId })
     * const { conditionId, yesTokenId } = series
     * const { request, book } = await taker.openForQuotes({
     *   market: { conditionId, yesTokenId },
     *   option: toRequestedOption(series),
     *   trade: { side: 'buy', budget: usd6(100_000_000n) },
     *   quotes: 3,
     *   waitMs: 500,
     * })
     */
    openForQuotes: (
      input: OpenRequestInput & { quotes?: number | undefined; waitMs?: number | undefined } & CallOptions,
    ) => Promise<QuotedRequest>
    /**
     * Opens a quote request as `openQuoteRequest` does and watches its best quote on the same connection, on others where that is
     * lost, until it is closed.
     * @param input.onConnectionState - Receives each change of the connection.
     * @returns The request with its best quote at once, and again whenever that changes.
     * @throws RelayError `too_many_connections`, and all of opening alone.
     * @example
     * import { toRequestedOption, usd6 } from 'rfqctl/client'
     *
     * const series = await taker.getSeries({ seriesId })
     * const { conditionId, yesTokenId } = series
     * const option = toRequestedOption(series)
     * const trade = { side: 'buy', budget: usd6(100_000_000n) } as const
     * for await (const { book } of taker.openAndWatch({ market: { conditionId, yesTokenId }, option, trade })) {
     *   if (book.quoteCount >= 3) break
     * }
     */
    openAndWatch: (
      input: OpenRequestInput & { onConnectionState?: OnConnectionState } & CallOptions,
    ) => AsyncGenerator<QuotedRequest, void>
    /**
     * Watches the best quote, over as many connections as needed, until the request is closed.
     * @param input.request - The request.
     * @param input.onConnectionState - Receives each change of the connection.
     * @returns The best quote now, and again whenever it changes.
     * @throws RelayError `request_not_found`, `taker_secret_required`.
     * @example
     * for await (const { bestQuote, quoteCount } of taker.watchBestQuote({ request, signal })) {
     *   if (bestQuote !== null && quoteCount >= 3) break
     * }
     */
    watchBestQuote: (
      input: { request: RequestKey; onConnectionState?: OnConnectionState } & CallOptions,
    ) => AsyncGenerator<ShownBook, void>
    /**
     * Reads the best quote once.
     * @param input.request - The request.
     * @returns The best quote now, and the best one that fills at least half.
     * @throws RelayError `request_not_found`, `request_expired`, `taker_secret_required`.
     * @example const { bestQuote, bestForSize } = await taker.getBestQuote({ request })
     */
    getBestQuote: (input: { request: RequestKey } & CallOptions) => Promise<ShownBook>
    /**
     * Signs a commit as `commitToBestQuote` does, without sending it: an account that has to ask its owner then asks once, however often
     * the commit is sent. The signature proves that the wallet is the taker's, and moves no money.
     * @param input - The request and all protections of the commit.
     * @returns The `proof` for `commitToBestQuote`. Null where there is none to send: the account is not the wallet, the relay is older than
     * proofs, or the wallet did not sign and the relay does not insist.
     * @throws WalletError where the relay insists, and the wallet or its owner refuses.
     * @example
     * const { bestQuote } = await taker.getBestQuote({ request })
     * if (bestQuote === null) throw new Error('no maker quoted')
     * const commit = { request, limitPrice: bestQuote.price, minContracts: null, expectedQuoteId: null }
     * const proof = await taker.proveCommit(commit)
     * const commitment = await taker.commitToBestQuote({ ...commit, proof })
     */
    proveCommit: (
      input: Pick<CommitInput, 'request' | 'wallet' | 'side'> & Protections & CallOptions,
    ) => Promise<Hex | null>
    /**
     * Takes the best quote and waits until its maker has signed. A lost connection does not lose the trade: the same commit is sent again
     * and answered with the same order (decision C3).
     * @param input - The request and the protections.
     * @returns The signed trade, for `fillOrder`.
     * @throws RelayError `no_valid_quotes`, `no_acceptable_quote`, `quote_changed`, `no_maker_confirmed`, `already_committed`,
     * `commit_in_progress`, `wallet_mismatch`, `proof_required`, `invalid_signature`, `series_not_registered`, `series_halted`, `position_too_small`,
     * `amount_too_large`, `too_many_unfilled_orders`.
     * @example
     * import { RelayError } from 'rfqctl/client'
     *
     * const { bestQuote } = await taker.getBestQuote({ request })
     * if (bestQuote === null) throw new Error('no maker quoted')
     * try {
     *   // The price shown is the limit: no other maker can fill at a worse one.
     *   const commitment = await taker.commitToBestQuote({ request, shown: bestQuote })
     *   await taker.fillOrder({ commitment })
     * } catch (error) {
     *   if (!(error instanceof RelayError && error.retryable)) throw error
     * }
     */
    commitToBestQuote: (input: CommitInput & CallOptions) => Promise<CommittedTrade>
    /**
     * Closes a request before its time.
     * @param input.request - The request.
     * @returns Nothing, once it is closed.
     * @throws RelayError `request_not_found`, `request_closed`, `commit_in_progress`.
     * @example await taker.cancelQuoteRequest({ request })
     */
    cancelQuoteRequest: (input: { request: RequestKey } & CallOptions) => Promise<void>
    /**
     * Checks a signed trade, pays exactly the amount due and fills it.
     * @param input.commitment - Result of the commit.
     * @param input.approval - Payment: by an approval of its own, or by a signature that the fill includes. Nothing is signed where
     * enough is approved.
     * @param input.partnerFee - A share of the premium for a partner, such as the operator of a page; none when absent. A buyer pays it on top of
     * the premium, and approves both, a seller out of it.
     * @returns The receipts.
     * @throws OrderMismatchError, ContractRefusedError or PaymentError before anything is approved or paid; TransactionRevertedError
     * when the fill was mined and failed.
     * @example
     * const { fill, usedPermit } = await taker.fillOrder({ commitment, approval: 'permit' })
     * console.log(fill.transactionHash, usedPermit)
     */
    fillOrder: (
      input: { commitment: CommittedTrade; approval?: ApprovalMethod; partnerFee?: PartnerFee | null } & CallOptions,
    ) => Promise<Fill>
    /**
     * Checks a signed trade, and signs what a relayer needs to fill it, so that the wallet needs no coin for gas: this order only, for at
     * most the fee that the relayer stated, and a payment of exactly the amount due. A buyer pays the fee on top of the premium, a writer
     * out of it. Nothing is sent.
     * @param input - The trade, the terms of the relayer, the most that it may charge, and a partner's share if there is one.
     * @returns The input of `submitFill` of the relayer's client.
     * @throws OrderMismatchError, ContractRefusedError, or PaymentError `fee_above_limit`, `relayer_mismatch` and
     * `payment_unavailable`: nothing was signed for it.
     * @example
     * import { createRelayerClient, usd6 } from 'rfqctl/client'
     *
     * const relayer = createRelayerClient({ url: 'http://127.0.0.1:8788' })
     * const terms = await relayer.getTerms()
     * const fill = await taker.prepareGaslessFill({ commitment, terms, maxFee: usd6(100_000n) })
     * const { transactionHash } = await relayer.submitFillUntilMined({ fill })
     * if (transactionHash !== null) await taker.confirmRelayedFill({ commitment, transactionHash })
     */
    prepareGaslessFill: (input: GaslessInput & CallOptions) => Promise<GaslessFill>
    /**
     * Checks on the chain that a transaction of a relayer has filled the order, without trusting the relayer.
     * @param input.commitment - Result of the commit.
     * @param input.transactionHash - Hash that the relayer returned.
     * @returns The receipt of the fill.
     * @throws TransactionRevertedError where it failed; TransactionUnminedError where it did not fill this order.
     * @example
     * import type { Hex } from 'rfqctl/client'
     *
     * const confirm = (transactionHash: Hex) => taker.confirmRelayedFill({ commitment, transactionHash })
     */
    confirmRelayedFill: (
      input: { commitment: CommittedTrade; transactionHash: Hex } & CallOptions,
    ) => Promise<TransactionReceipt>
  }

/** Credentials to watch, commit and cancel a request. */
export type RequestKey = Pick<TakerRequest, 'requestId' | 'takerSecret'>
