import {
  type CommittedTrade,
  createTakerClient,
  type Fill,
  type Order,
  type ShownQuote,
  type TakerOptions,
  type TakerRequest,
} from '@rfqctl/client/index'
import { linkAbort } from '@rfqctl/lib/abort'
import { pause, systemClock } from '@rfqctl/lib/clock'
import { maxPayoff } from '@rfqctl/protocol/domain/option'
import { toRequestedOption } from '@rfqctl/protocol/domain/request'
import { contracts, type Hex } from '@rfqctl/protocol/domain/units'
import { createRandom, deriveSeed } from './random.ts'
import { drawGapMs, drawSession, TAKER_MIX, type TakerMix, type TakerSession, tradable } from './session.ts'

export type TakerBotOptions = {
  /** Every taker needs the account; only one that fills needs the chain. */
  taker: TakerOptions
  /** The same seed makes the same requests. */
  seed: number
  /** On average. */
  perMinute: number
  mix?: Partial<TakerMix>
  /** The taker ends after this many requests; null or absent: never. */
  maxSessions?: number | null
  fills: boolean
  /** Unix milliseconds; series expire by it. Defaults to the machine's clock. */
  marketTime?: () => Promise<number>
  signal: AbortSignal
  onEvent?: (event: TakerBotEvent) => void
}

export type TakerBotEvent =
  | { kind: 'opened'; request: TakerRequest }
  | { kind: 'shown'; requestId: string; quote: ShownQuote | null; quoteCount: number }
  | { kind: 'walked_away'; requestId: string; reason: 'no_quotes' | 'changed_mind' | 'no_funds' }
  | { kind: 'committed'; requestId: string; commitment: CommittedTrade }
  | { kind: 'filled'; requestId: string; order: Order; fill: Fill }
  | { kind: 'failed'; doing: 'list' | 'open' | 'watch' | 'commit' | 'fill'; requestId: string | null; error: Error }

/** Most requests open at once: a relay that hangs must not be buried. */
const MAX_SESSIONS = 32

const CANCEL_MS = 1_000

/**
 * A simulated taker on the public protocol only: it opens requests now and then, watches the quotes, and takes the best
 * one or walks away. Runs until the signal aborts or its last request is over, then cancels what is open and resolves;
 * failures are reported, not thrown.
 */
export async function runTakerBot(options: TakerBotOptions): Promise<void> {
  const { taker, seed, perMinute, maxSessions = null, signal, onEvent = () => {} } = options
  const clock = taker.timing?.clock ?? systemClock
  const marketTime = options.marketTime ?? (async () => clock.now())
  const client = createTakerClient(taker)
  const random = createRandom(deriveSeed(seed, 'trips'))
  const mix = { ...TAKER_MIX, ...options.mix }
  const sessions = new Set<Promise<void>>()
  const questions = new Map<Hex, string>()
  let wallet: Promise<unknown> = Promise.resolve()

  /** Reports a failure and returns null, unless the taker was stopped. */
  async function attempt<Result>(
    doing: Extract<TakerBotEvent, { kind: 'failed' }>['doing'],
    requestId: string | null,
    run: () => Promise<Result>,
  ): Promise<Result | null> {
    try {
      return await run()
    } catch (error) {
      signal.throwIfAborted()
      onEvent({ kind: 'failed', doing, requestId, error: error as Error })
      return null
    }
  }

  async function nextSession(): Promise<TakerSession | null> {
    const open = await attempt('list', null, async () => {
      const [series, now] = await Promise.all([client.listSeries({ settled: false, signal }), marketTime()])
      return tradable(series, now)
    })
    return drawSession(open ?? [], mix, random)
  }

  /** Asked for once per market. Without the question makers and operators would see a bare id. */
  async function questionOf(conditionId: Hex): Promise<string | null> {
    if (!questions.has(conditionId)) {
      const markets = await client.listMarkets({ signal }).catch(() => [])
      for (const market of markets) questions.set(market.conditionId, market.name)
    }
    return questions.get(conditionId) ?? null
  }

  async function runSession({ series, trade, patienceMs, walksAway }: TakerSession): Promise<void> {
    const { conditionId, yesTokenId } = series
    const market = { conditionId, yesTokenId, question: await questionOf(conditionId) }
    const option = toRequestedOption(series)
    const request = await attempt('open', null, () =>
      client.openQuoteRequest({ market, option, trade, inventory: options.fills, signal }),
    )
    if (request === null) return
    onEvent({ kind: 'opened', request })
    try {
      await decide(request, patienceMs, walksAway)
    } catch (error) {
      await client.cancelQuoteRequest({ request, signal: AbortSignal.timeout(CANCEL_MS) }).catch(() => {})
      throw error
    }
  }

  async function decide(request: TakerRequest, patienceMs: number, walksAway: boolean): Promise<void> {
    const { requestId } = request
    const shown = await attempt('watch', requestId, () => watch(request, patienceMs))
    const why = shown === null ? 'no_quotes' : walksAway ? 'changed_mind' : await whyNotPaid(request, shown)
    if (shown === null || why !== null) {
      await client.cancelQuoteRequest({ request, signal }).catch(() => signal.throwIfAborted())
      onEvent({ kind: 'walked_away', requestId, reason: why ?? 'no_quotes' })
      return
    }
    // The taker has seen how much the quote fills and accepts that, even if its budget would buy more.
    const minContracts = contracts(shown.fillContracts > 1n ? shown.fillContracts / 2n : 1n)
    const commitment = await attempt('commit', requestId, () =>
      client.commitToBestQuote({ request, shown, minContracts, signal }),
    )
    if (commitment === null) return
    onEvent({ kind: 'committed', requestId, commitment })
    if (!options.fills || commitment.onchain === null) return
    const { order } = commitment.onchain
    // A wallet sends one transaction at a time, or their nonces collide.
    const filling = wallet.then(() => attempt('fill', requestId, () => client.fillOrder({ commitment, signal })))
    wallet = filling.catch(() => {})
    const fill = await filling
    if (fill !== null) onEvent({ kind: 'filled', requestId, order, fill })
  }

  /** Options that it sells before it writes new ones: its holdings, which fills may move. */
  async function heldOf(seriesId: string): Promise<bigint> {
    const positions = await client.listPositions({ seriesIds: [seriesId], signal }).catch(() => [])
    return positions[0]?.long ?? 0n
  }

  /** A taker that fills does not commit to what it cannot pay; if its funds cannot be read, the fill decides. */
  async function whyNotPaid(
    { terms, seriesId }: TakerRequest,
    { price, fillContracts }: ShownQuote,
  ): Promise<'no_funds' | null> {
    if (!options.fills) return null
    const isBuy = terms.trade.side === 'buy'
    const [balance, held] = await Promise.all([
      client.getBalance({ signal }).catch(() => null),
      isBuy ? 0n : heldOf(seriesId),
    ])
    const written = fillContracts > held ? fillContracts - held : 0n
    return balance !== null && balance < (isBuy ? price : maxPayoff(terms.option)) * written ? 'no_funds' : null
  }

  async function watch(request: TakerRequest, patienceMs: number): Promise<ShownQuote | null> {
    const { requestId } = request
    const limit = linkAbort(signal)
    const stopTimer = clock.schedule(clock.now() + patienceMs, () => limit.abort())
    let best: ShownQuote | null = null
    try {
      for await (const { bestQuote, quoteCount } of client.watchBestQuote({ request, signal: limit.signal })) {
        best = bestQuote
        onEvent({ kind: 'shown', requestId, quote: bestQuote, quoteCount })
      }
      return null
    } catch (error) {
      signal.throwIfAborted()
      if (!limit.signal.aborted) throw error
      return best
    } finally {
      stopTimer()
      limit.release()
    }
  }

  try {
    // Once, so that it sells options it holds before writing new ones.
    if (options.fills && taker.chain?.transport !== undefined)
      await attempt('fill', null, () => client.approveInventory({ signal }))
    for (let started = 0; maxSessions === null || started < maxSessions; ) {
      await pause(drawGapMs(perMinute, random), { clock, signal })
      const session = await nextSession()
      if (session === null) continue
      started += 1
      const running: Promise<void> = runSession(session)
        .catch((error: unknown) => {
          if (!signal.aborted) throw error
        })
        .finally(() => sessions.delete(running))
      sessions.add(running)
      if (sessions.size >= MAX_SESSIONS) await Promise.race(sessions)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    await Promise.all(sessions)
  }
}
