import {
  type ConnectionState,
  createMakerClient,
  type MakerClient,
  type MakerOptions,
  type ProtectionsInput,
  RelayError,
  type RequestTerms,
  type SignatureRequest,
  UNLIMITED,
} from '@rfqctl/client/index'
import { linkAbort } from '@rfqctl/lib/abort'
import { pause, systemClock } from '@rfqctl/lib/clock'
import type { Order } from '@rfqctl/protocol/domain/order'
import { createHedger } from './hedger.ts'
import { feedLevels } from './level-feed.ts'
import type { MakerBotEvent, OnMakerEvent } from './maker-events.ts'
import { createPortfolio, type Spot } from './portfolio.ts'
import { createRandom, deriveSeed } from './random.ts'
import { createRequestTracker } from './request-tracker.ts'
import { answerAcceptance, createInvalidSigner } from './signer.ts'
import type { MakerStyle } from './style.ts'

export type MakerBotOptions = {
  maker: MakerOptions
  style: MakerStyle
  /** Fixes the maker's views, its pauses and when it does not sign. */
  seed: number
  spot: Spot
  /** Unix milliseconds; prices and expiries go by it. Defaults to the clock. */
  marketTime?: () => Promise<number>
  signal: AbortSignal
  onEvent?: OnMakerEvent
}

/** A blocked maker checks this often whether the block is lifted, milliseconds. */
const BLOCKED_MS = 2_000

const WITHDRAW_MS = 1_000

/**
 * A simulated maker on the public protocol only: it receives requests, thinks, quotes from its model around the spot
 * price, improves, signs the orders it won and leans against its position.
 * Runs until the signal aborts, then withdraws its quotes and resolves. Reconnects when the relay is lost, and waits
 * for the end of an operator's block. Rejects when the relay refuses its key.
 */
export async function runMakerBot(input: MakerBotOptions): Promise<void> {
  const { maker, style, seed, spot, marketTime: given, signal, onEvent = () => {} } = input
  const clock = maker.timing?.clock ?? systemClock
  const marketTime = given ?? (async () => clock.now())
  const client = createMakerClient(maker)
  const signInvalid = createInvalidSigner(maker)
  const portfolio = createPortfolio({ spot, volatility: style.volatility })
  // Seeds are derived from these names: other names would draw other numbers.
  const signingRandom = createRandom(deriveSeed(seed, 'whims'))
  const asked = new Map<string, { order: Order | null; terms: RequestTerms | null }>()
  const stop = linkAbort(signal)
  const hedger = createHedger({ portfolio, clock, marketTime, signal: stop.signal, onEvent })
  let failure: unknown
  let isBlocked = false

  function fail(error: unknown): void {
    failure ??= error
    stop.abort(error)
  }

  const tracker = createRequestTracker({
    context: { client, style, spot, portfolio, clock, marketTime, onEvent: noteQuote },
    random: createRandom(deriveSeed(seed, 'moods')),
    ready: prepare(),
    signal: stop.signal,
    fail,
  })

  /** A firm quote may win without its maker being asked. */
  function noteQuote(event: MakerBotEvent): void {
    if (event.kind === 'quoted' && event.isFirm)
      asked.set(event.quoteId, { order: null, terms: tracker.termsOf(event.requestId) })
    onEvent(event)
  }

  async function prepare(): Promise<void> {
    const { approves, protections } = style
    const { signal } = stop
    if (maker.chain.transport !== undefined) await prepareAllowances(client, { approves, signal, onEvent })
    if (protections !== null) await protect(client, { protections, signal, onEvent })
  }

  async function watchRequests(): Promise<void> {
    const onConnectionState = (state: ConnectionState) => onEvent({ kind: 'link', channel: 'requests', state })
    for await (const event of client.watchQuoteRequests({
      packages: true,
      twoSided: true,
      signal: stop.signal,
      onConnectionState,
    })) {
      if (event.kind === 'connected') {
        isBlocked = false
        onEvent({ kind: 'connected', makerId: event.makerId })
      }
      if (event.kind === 'quote_request') tracker.track(event.request)
      if (event.kind === 'quote_request_expired') tracker.forget(event.requestId)
    }
  }

  async function watchOrders(): Promise<void> {
    const onConnectionState = (state: ConnectionState) => onEvent({ kind: 'link', channel: 'messages', state })
    for await (const message of client.watchOrders({ signal: stop.signal, onConnectionState })) {
      if (message.kind === 'accepted') void answer(message.acceptance)
      if (message.kind === 'confirmed') win(message)
      if (message.kind === 'rejected') lose(message)
      if (message.kind === 'protection_tripped') onEvent({ kind: 'tripped', trip: message.trip })
      if (message.kind === 'missed' || message.kind === 'suspended' || message.kind === 'reinstated') onEvent(message)
    }
  }

  /** Resumes the watch once a block is lifted. The first channel to meet the block reports it. */
  async function retryWhileBlocked(watch: () => Promise<void>): Promise<void> {
    for (;;) {
      const error = await watch().then(
        () => null,
        (fault: unknown) => fault,
      )
      if (error === null) return
      if (!(error instanceof RelayError && error.code === 'maker_blocked')) throw error
      if (!isBlocked) onEvent({ kind: 'blocked' })
      isBlocked = true
      await pause(BLOCKED_MS, { clock, signal: stop.signal })
    }
  }

  async function answer(acceptance: SignatureRequest): Promise<void> {
    const terms = tracker.termsOf(acceptance.requestId)
    asked.set(acceptance.quoteId, { order: acceptance.order, terms })
    await answerAcceptance({
      client,
      signInvalid: async () => (terms === null ? undefined : signInvalid(acceptance, terms, stop.signal)),
      acceptance,
      signing: style.signing,
      random: signingRandom,
      clock,
      signal: stop.signal,
      onEvent,
    })
  }

  function win({ requestId, quoteId, order: signed }: { requestId: string; quoteId: string; order?: Order }): void {
    const { order = null, terms = null } = asked.get(quoteId) ?? {}
    asked.delete(quoteId)
    const traded = signed ?? order
    if (traded === null || terms === null) return
    const { yesTokenId } = terms.market
    const position = portfolio.add(traded, { seriesId: traded.seriesId, yesTokenId, ...terms.option })
    onEvent({ kind: 'won', requestId, quoteId, order: traded, position })
    hedger.onTrade()
  }

  function lose({ requestId, quoteId, reason }: { requestId: string; quoteId: string; reason: string }): void {
    asked.delete(quoteId)
    onEvent({ kind: 'lost', requestId, quoteId, reason })
  }

  if (style.showsLevels) {
    void feedLevels({ client, style, spot, portfolio, clock, marketTime, signal: stop.signal, onEvent })
  }
  // Requests arrive on the socket of the orders if that is open first.
  await Promise.all([watchOrders, watchRequests].map((watch) => retryWhileBlocked(watch).catch(fail)))
  stop.release()
  if (!signal.aborted) throw failure
  await hedger.close()
  await withdrawAll(client)
}

/**
 * Lets both contracts draw from the wallet and fills move options that it holds, or neither for an insolvent maker. A
 * failure is only reported: the relay then refuses the quotes and says why.
 */
async function prepareAllowances(
  client: MakerClient,
  { approves, signal, onEvent }: { approves: boolean; signal: AbortSignal; onEvent: OnMakerEvent },
): Promise<void> {
  try {
    for (const spender of ['core', 'settlement'] as const) {
      await (approves
        ? client.approveSpender({ spender, amount: UNLIMITED, signal })
        : client.revokeApproval({ spender, signal }))
    }
    // Once, so that it sells options it holds before writing new ones.
    if (approves) await client.approveInventory({ signal })
  } catch (error) {
    if (!signal.aborted) onEvent({ kind: 'failed', doing: 'approve', requestId: null, error: error as Error })
  }
}

/** Sets the maker's protections at the relay. A failure is only reported: the maker quotes all the same. */
async function protect(
  client: MakerClient,
  { protections, signal, onEvent }: { protections: ProtectionsInput; signal: AbortSignal; onEvent: OnMakerEvent },
): Promise<void> {
  try {
    await client.setProtections({ protections, signal })
  } catch (error) {
    if (!signal.aborted) onEvent({ kind: 'failed', doing: 'protect', requestId: null, error: error as Error })
  }
}

/** Withdraws the live quotes if the relay can be reached: no one will sign for them. */
async function withdrawAll(client: MakerClient): Promise<void> {
  const signal = AbortSignal.timeout(WITHDRAW_MS)
  const { quotes } = await client.getOwnBook({ signal }).catch(() => ({ quotes: [] }))
  await Promise.allSettled(quotes.map(({ quoteId }) => client.withdrawQuote({ quoteId, signal })))
}
