import { type LinkedAbort, linkAbort, unlessAborted } from '@rfqctl/lib/abort'
import { committed, type Protections } from '@rfqctl/protocol/domain/commit'
import { privateFieldsOf, type RequestTerms, type Side, type StandingLimit } from '@rfqctl/protocol/domain/request'
import { standingTermsOf } from '@rfqctl/protocol/domain/standing-limit'
import { type Address, type Contracts, contracts, type Hex, type Usd6 } from '@rfqctl/protocol/domain/units'
import { requestIdOf, uuidOf } from '@rfqctl/protocol/domain/uuid'
import { decodePoll, type ShownBook, type ShownQuote } from '@rfqctl/protocol/wire/best-quote'
import { decodeCommitment, encodeCommit } from '@rfqctl/protocol/wire/commit'
import { encodeOpenRequest, MAX_WAIT_MS } from '@rfqctl/protocol/wire/open-request'
import { decodeOpened, decodeOpenedForQuotes } from '@rfqctl/protocol/wire/opened-request'
import { decodeTakerStreamEvent, type TakerStreamEvent } from '@rfqctl/protocol/wire/taker-stream'
import { bytesToHex } from 'viem/utils'
import { signCommit } from './commit-proof.ts'
import { decodeEach, type OnConnectionState, TIMING } from './connection.ts'
import { createPublicActions } from './discovery.ts'
import { ClientSetupError, RelayError, UNEXPECTED_ANSWER } from './errors.ts'
import { type CommittedTrade, fillOrder } from './fill.ts'
import { confirmRelayedFill, prepareGaslessFill } from './gasless.ts'
import { type CallOptions, createHttp, nothing, TIMEOUT_MS } from './http.ts'
import { once } from './once.ts'
import { retryUntilAnswered } from './retry.ts'
import { addressOf, canSign, connectSigner } from './signer.ts'
import { followStream } from './sse.ts'
import type {
  CommitInput,
  OpenRequestInput,
  QuotedRequest,
  RequestKey,
  StandingInput,
  TakerClient,
  TakerOptions,
  TakerRequest,
} from './taker-client.ts'
import { createWallet, type Wallet } from './wallet.ts'
import { createWalletActions } from './wallet-actions.ts'

/** Milliseconds for which a commit is repeated after a lost connection: as long as its order could be filled. */
const COMMIT_RETRY_MS = 120_000

/**
 * Milliseconds for which a request is repeated after a lost answer: longer than one answer may take, so that a silent relay is asked
 * again.
 */
const OPEN_RETRY_MS = 20_000

/** Longer than a relay asks makers in turn by default; a commit not answered by then is joined again, not started again. */
const COMMIT_TIMEOUT_MS = 60_000

/**
 * Makes a client for a taker. Nothing is sent until it is called. It runs in a browser, too.
 * @param options - The relay; the account and the chain for calls that use the chain.
 * @returns The client.
 * @example
 * import { createTakerClient } from 'rfqctl/client'
 * import { http } from 'viem'
 * import { privateKeyToAccount } from 'viem/accounts'
 *
 * const taker = createTakerClient({
 *   url: 'http://127.0.0.1:8787',
 *   account: privateKeyToAccount('0x0101010101010101010101010101010101010101010101010101010101010101'),
 *   chain: {
 *     chainId: 31_337,
 *     // Your own settings, never the relay's word: the party that names the contracts is the party you pay.
 *     settlementAddress: '0x1000000000000000000000000000000000000001',
 *     coreAddress: '0x1000000000000000000000000000000000000002',
 *     transport: http('http://127.0.0.1:8545'),
 *   },
 * })
 */
export function createTakerClient({ url, account, chain, fetch, timing: ownTiming }: TakerOptions): TakerClient {
  const timing = { ...TIMING, ...ownTiming }
  const { clock } = timing
  const http = createHttp({ url, clock, ...(fetch === undefined ? {} : { fetch }) })
  const publicActions = createPublicActions(http)
  const signer = once(async () => {
    if (account === undefined)
      throw new ClientSetupError('A commit needs `wallet`, or a client created with `account`.')
    return connectSigner(account, chain)
  })

  /** The relay's environment, read once; null from a relay that is older than the call. */
  const environment = once(() => publicActions.getEnvironment().catch(nullIfNotFound))

  const ownWallet = once(async () => {
    if (account === undefined || chain === undefined) {
      throw new ClientSetupError('This needs a client created with `account` and `chain`.')
    }
    return createWallet({ account: await signer(), setup: chain })
  })

  const withWallet = <Value>({ signal }: CallOptions, use: (wallet: Wallet) => Promise<Value>): Promise<Value> =>
    unlessAborted(ownWallet().then(use), signal)

  /** The body is the same however often it is sent. */
  async function openingOf(input: OpenRequestInput & CallOptions): Promise<{ terms: RequestTerms; body: unknown }> {
    const {
      market,
      wallet,
      option,
      trade,
      firmOnly,
      inventory,
      audience,
      blind,
      standing,
      signal,
      clientRequestId = randomUuid(),
    } = input
    if (blind === true && wallet == null) throw new ClientSetupError('A blind request needs a `wallet`.')
    if (standing !== undefined && wallet == null) throw new ClientSetupError('A standing limit needs a `wallet`.')
    const open: RequestTerms = {
      wallet: blind === true ? null : (wallet ?? null),
      market: { ...market, question: market.question ?? null },
      option,
      trade,
      ...(firmOnly === true ? { firmOnly } : {}),
      ...(inventory === true ? { inventory } : {}),
      ...(audience === undefined ? {} : { audience }),
      ...(blind === true && wallet != null ? { blindWallet: wallet } : {}),
      ...(standing === undefined ? {} : { standing: limitOf(standing) }),
    }
    await assertKnown(open)
    const terms = await proven(open, { proof: standing?.proof, clientRequestId, signal })
    return { terms, body: encodeOpenRequest({ ...terms, locked: true, clientRequestId }) }
  }

  /** The terms with the proof of their standing commit, if there is one: `proof`, or a signature of the account. */
  async function proven(
    terms: RequestTerms,
    {
      proof,
      clientRequestId,
      signal,
    }: { proof: Hex | null | undefined; clientRequestId: string; signal: AbortSignal | undefined },
  ): Promise<RequestTerms> {
    const commit = standingTermsOf(terms)
    if (commit === null || terms.standing === undefined) return terms
    const given = proof === undefined ? await proveNamed(requestIdOf(clientRequestId), { ...commit, signal }) : proof
    const standing: StandingLimit = given === null ? terms.standing : { ...terms.standing, proof: given }
    return { ...terms, standing }
  }

  /** An older relay would ignore what keeps something from makers, or a standing limit, and ask makers all the same. */
  async function assertKnown(terms: RequestTerms): Promise<void> {
    const fields = privateFieldsOf(terms)
    if (fields.length === 0) return
    const known = (await environment())?.privateFields ?? []
    const unknown = fields.find((field) => !known.includes(field))
    if (unknown === undefined) return
    throw new ClientSetupError(`The relay is older than \`${unknown}\`, and would ask makers as if it were not there.`)
  }

  const untilOpened = <Answer>(
    open: () => Promise<Answer>,
    { signal, waitMs = 0 }: { signal: AbortSignal | undefined; waitMs?: number },
  ): Promise<Answer> => retryUntilAnswered(open, { timing, until: clock.now() + OPEN_RETRY_MS + waitMs, signal })

  async function openQuoteRequest(input: OpenRequestInput & CallOptions): Promise<TakerRequest> {
    const { terms, body } = await openingOf(input)
    const { signal } = input
    const open = () => http.call('POST', '/quote-requests', { body, signal, decode: decodeOpened })
    return { ...(await untilOpened(open, { signal })), terms }
  }

  const openForQuotes: TakerClient['openForQuotes'] = async ({ quotes, waitMs = MAX_WAIT_MS, ...input }) => {
    const { signal } = input
    const { terms, body } = await openingOf(input)
    const path = `/quote-requests?waitMs=${waitMs}${quotes === undefined ? '' : `&quotes=${quotes}`}`
    const details = { body, signal, timeoutMs: TIMEOUT_MS + waitMs, decode: decodeOpenedForQuotes }
    const { opened, book } = await untilOpened(() => http.call('POST', path, details), { signal, waitMs })
    const request = { ...opened, terms }
    return { request, book: book ?? (await getBestQuote({ request, signal })) }
  }

  const getBestQuote: TakerClient['getBestQuote'] = ({ request, signal }) =>
    http.call('GET', `${pathOf(request)}/quotes`, { headers: secretOf(request), signal, decode: decodePoll })

  const openBook = (request: RequestKey, headers: Record<string, string>, link: LinkedAbort) =>
    http.openStream(`${pathOf(request)}/stream`, { headers: { ...headers, ...secretOf(request) }, link })

  async function* readTakerStream(
    path: string,
    {
      open,
      signal,
      onConnectionState,
    }: Pick<Parameters<typeof followStream>[0], 'open' | 'signal' | 'onConnectionState'>,
  ): AsyncGenerator<Exclude<TakerStreamEvent, { kind: 'closed' }>, void> {
    const messages = followStream({ url: `${url}${path}`, open, signal, timing, onConnectionState })
    const decode = ({ event = '', data }: { event?: string | undefined; data: string }) =>
      decodeTakerStreamEvent({ event, data })
    let watched = false
    try {
      for await (const event of decodeEach(messages, decode, onConnectionState)) {
        if (event.kind === 'closed') return
        watched = true
        yield event
      }
    } catch (error) {
      const closedMeanwhile = watched && error instanceof RelayError && error.status === 404
      if (!closedMeanwhile) throw error
    }
  }

  async function* watchBestQuote(
    input: {
      request: RequestKey
      onConnectionState?: OnConnectionState
    } & CallOptions,
  ): AsyncGenerator<ShownBook, void> {
    const { request, onConnectionState, signal } = input
    const open = (headers: Record<string, string>, link: LinkedAbort) => openBook(request, headers, link)
    for await (const event of readTakerStream(`${pathOf(request)}/stream`, { open, signal, onConnectionState })) {
      if (event.kind === 'best_quote') yield event.book
    }
  }

  async function* openAndWatch(
    input: OpenRequestInput & { onConnectionState?: OnConnectionState } & CallOptions,
  ): AsyncGenerator<QuotedRequest, void> {
    const clientRequestId = input.clientRequestId ?? randomUuid()
    const { terms, body } = await openingOf({ ...input, clientRequestId })
    const life = linkAbort(input.signal)
    let request: TakerRequest | null = null
    const openBoth = (headers: Record<string, string>, link: LinkedAbort) =>
      untilOpened(() => http.openStream('/quote-requests', { headers, link, body }), { signal: link.signal })
    const open = async (headers: Record<string, string>, link: LinkedAbort) => {
      try {
        if (request === null) return await openBoth(headers, link)
      } catch (error) {
        // A relay that is older than such calls has opened the request, and answers a repeat with it.
        if (!(error instanceof RelayError && error.code === UNEXPECTED_ANSWER && error.status === 200)) {
          // A stream would be opened again.
          life.abort(error)
          throw error
        }
        request = await openQuoteRequest({ ...input, clientRequestId })
      }
      return openBook(request, headers, link)
    }
    const { signal } = life
    const { onConnectionState } = input
    try {
      for await (const event of readTakerStream('/quote-requests', { open, signal, onConnectionState })) {
        if (event.kind === 'opened') request = { ...event.request, terms }
        else if (request !== null) yield { request, book: event.book }
      }
    } finally {
      life.release()
    }
  }

  async function ownAddress(): Promise<Address> {
    return (account === undefined ? null : addressOf(account)) ?? (await signer()).address
  }

  const proveCommit: TakerClient['proveCommit'] = ({ request, ...commit }) => proveNamed(request.requestId, commit)

  async function proveNamed(
    requestId: string,
    { wallet, signal, ...protections }: Pick<CommitInput, 'wallet'> & Protections & CallOptions,
  ): Promise<Hex | null> {
    if (account === undefined || !canSign(account, chain)) return null
    const known = addressOf(account)
    if (known !== null && !isSameWallet(known, wallet)) return null
    const relay = await environment()
    if (relay === null || relay.commitProof === null) return null
    try {
      const own = await unlessAborted(ownAddress(), signal)
      if (!isSameWallet(own, wallet)) return null
      const commit = { requestId, wallet: own, ...protections }
      return await unlessAborted(signCommit({ account, chain: chain ?? relay, commit }), signal)
    } catch (error) {
      // Some wallets cannot sign typed data, and some owners decline; neither prevents a trade.
      if (relay.commitProof === 'required' || signal?.aborted) throw error
      return null
    }
  }

  async function commitToBestQuote(input: CommitInput & CallOptions): Promise<CommittedTrade> {
    const { request, shown, wallet, proof, side: named, signal, ...chosen } = input
    const side = sideOf(request.terms, named ?? shown?.side ?? request.terms.standing?.side)
    const taker = wallet ?? (await ownAddress())
    const protections = { ...side, ...(await protectionsFor({ request, shown, chosen, side: side.side, signal })) }
    const sendWith = (shown: Hex | null) =>
      http.call('POST', `${pathOf(request)}/commit`, {
        body: encodeCommit({ wallet: taker, ...protections }, shown),
        headers: secretOf(request),
        timeoutMs: COMMIT_TIMEOUT_MS,
        signal,
        decode: decodeCommitment,
      })
    const prove = once(() => proveCommit({ request, wallet: taker, ...protections, signal }))
    const send = async () => {
      if (proof !== undefined) return sendWith(proof)
      const own = await prove()
      try {
        return await sendWith(own)
      } catch (error) {
        if (own === null || !isUncounted(error) || (await environment())?.commitProof === 'required') throw error
        return sendWith(null)
      }
    }
    const trade = await retryUntilAnswered(send, { timing, until: clock.now() + COMMIT_RETRY_MS, signal })
    return { ...trade, terms: committed(request.terms, side), protections }
  }

  async function protectionsFor(input: {
    request: TakerRequest
    shown: ShownQuote | undefined
    chosen: Partial<Protections>
    side: Side | undefined
    signal: AbortSignal | undefined
  }): Promise<Protections> {
    const { request, shown, chosen, side, signal } = input
    const { limitPrice, minContracts } = chosen
    const isComplete = limitPrice !== undefined && minContracts !== undefined
    if (isComplete) return { ...chosen, limitPrice, minContracts, expectedQuoteId: chosen.expectedQuoteId ?? null }
    const standing = shown === undefined ? standingTermsOf(request.terms) : null
    if (standing !== null)
      return {
        ...chosen,
        limitPrice: limitPrice === undefined ? standing.limitPrice : limitPrice,
        minContracts: minContracts === undefined ? standing.minContracts : minContracts,
        expectedQuoteId: chosen.expectedQuoteId ?? null,
      }
    const quote = shown ?? bestOf(await getBestQuote({ request, signal }), side)
    if (quote === null) throw new RelayError({ code: 'no_valid_quotes', status: 409 })
    return protectionsAt(quote, chosen)
  }

  return {
    ...publicActions,
    ...createWalletActions({ wallet: ownWallet, publicActions }),
    openQuoteRequest,
    openForQuotes,
    openAndWatch,
    watchBestQuote,
    getBestQuote,
    proveCommit,
    commitToBestQuote,
    cancelQuoteRequest: ({ request, signal }) =>
      http.call('POST', `${pathOf(request)}/cancel`, { headers: secretOf(request), signal, decode: nothing }),
    fillOrder: async (input) => withWallet(input, (wallet) => fillOrder({ wallet, ...input })),
    prepareGaslessFill: async (input) => withWallet(input, (wallet) => prepareGaslessFill(wallet, input)),
    confirmRelayedFill: async (input) => withWallet(input, (wallet) => confirmRelayedFill(wallet, input)),
  }
}

/** Whether an account is the wallet that was named, or none was. */
const isSameWallet = (account: Address, wallet: Address | undefined): boolean =>
  wallet === undefined || wallet.toLowerCase() === account.toLowerCase()

/** Some wallets have no verifiable signature, such as a contract that checks none; that does not prevent a trade. */
const isUncounted = (error: unknown): boolean => error instanceof RelayError && error.code === 'invalid_signature'

function nullIfNotFound(error: unknown): null {
  if (error instanceof RelayError && error.status === 404) return null
  throw error
}

/** The best price may be for a few options only; the best quote for half of the size can be traded with. */
const bestOf = ({ bestQuote, bestBid = null, bestForSize }: ShownBook, side: Side | undefined): ShownQuote | null =>
  side === 'sell' ? bestBid : (bestForSize ?? bestQuote)

const limitOf = ({ limitPrice, minContracts = null, side }: StandingInput): StandingLimit => ({
  limitPrice,
  minContracts,
  ...(side === undefined ? {} : { side }),
})

/** The side that a commit names: none where the request has its own. */
function sideOf({ trade }: Pick<RequestTerms, 'trade'>, side: Side | undefined): { side?: Side } {
  if (trade.side !== 'both') return {}
  if (side !== undefined) return { side }
  throw new ClientSetupError('The request asks for both sides: the commit needs a `side`, or the quote as `shown`.')
}

const pathOf = ({ requestId }: RequestKey): string => `/quote-requests/${encodeURIComponent(requestId)}`

/** Works on pages from insecure origins, too, which have no `randomUUID`. */
const randomUuid = (): string => uuidOf(bytesToHex(crypto.getRandomValues(new Uint8Array(16))).slice(2))

const secretOf = ({ takerSecret }: RequestKey): Record<string, string> => ({ 'x-taker-secret': takerSecret })

/** The most that a commit may ask for as its least fill, options. */
const MAX_MIN_CONTRACTS = 1_000_000_000n

/**
 * Default protections of a commit to a shown quote: its price as the limit, and half of the options that it fills as the least fill. Null
 * turns one off.
 */
export function protectionsAt(
  shown: { price: Usd6; fillContracts: Contracts },
  chosen: Partial<Protections> = {},
): Protections {
  return {
    limitPrice: chosen.limitPrice === undefined ? shown.price : chosen.limitPrice,
    minContracts: chosen.minContracts === undefined ? leastFill(shown.fillContracts / 2n) : chosen.minContracts,
    expectedQuoteId: chosen.expectedQuoteId ?? null,
    ...(chosen.firmOnly === true ? { firmOnly: true } : {}),
  }
}

function leastFill(count: bigint): Contracts {
  if (count < 1n) return contracts(1n)
  return contracts(count < MAX_MIN_CONTRACTS ? count : MAX_MIN_CONTRACTS)
}
