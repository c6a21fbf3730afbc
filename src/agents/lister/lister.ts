import { planListing } from '@rfqctl/protocol/domain/listing'
import { type SeriesId, type SeriesTerms, seriesIdOf } from '@rfqctl/protocol/domain/series'
import type { ListerNews, ListerPorts, ListerSettings } from './ports.ts'
import { createQuietMarkets } from './quiet-markets.ts'
import { createSpending } from './spending.ts'

/** Most series per halting transaction: some 30,000 gas each. */
export const SERIES_PER_HALT = 50

/** Gas limits of a registration, and of a halt of `SERIES_PER_HALT` series. */
export const REGISTRATION_GAS = 300_000n
export const HALT_GAS = 3_000_000n

type OpenSeries = SeriesTerms & { seriesId: SeriesId }

/** Registers due series, and halts the series of markets that went quiet. `now` is Unix milliseconds. */
export function createLister(parts: {
  ports: ListerPorts
  settings: ListerSettings
  now: () => number
  onNews: (news: ListerNews) => void
}) {
  const { ports, settings, now, onNews } = parts
  const { registrar, halter, prices } = ports
  const { rule, maxSeries, quietMs } = settings
  const registrarSpends = createSpending(registrar, settings)
  // One wallet for both has one day's coin.
  const isOneWallet: boolean = (halter as unknown) === registrar
  const halterSpends = halter === null || isOneWallet ? registrarSpends : createSpending(halter, settings)
  const quiet =
    prices === null ? null : createQuietMarkets({ prices, quietMs, now, onFault: (fault) => postpone('prices', fault) })
  /** Halted series of quiet markets: one that the owner resumes stays resumed. */
  const handled = new Set<SeriesId>()

  const postpone = (what: Extract<ListerNews, { kind: 'postponed' }>['what'], fault: unknown): void =>
    onNews({ kind: 'postponed', what, error: fault instanceof Error ? fault : new Error(String(fault)) })

  const voiceOf = async (yesTokenId: string) => (quiet === null ? 'heard' : quiet.voiceOf(yesTokenId))

  async function list(signal: AbortSignal): Promise<void> {
    const markets = await ports.markets()
    const { series } = planListing(markets, rule, await ports.chainTime())
    const due = series.map((one) => ({ one, seriesId: seriesIdOf(one) }))
    const known = await ports.registered(due.map(({ seriesId }) => seriesId))
    let left = maxSeries
    for (const { one, seriesId } of due) {
      signal.throwIfAborted()
      if (left === 0) return
      // A series of a quiet market would be halted at once.
      if (known.has(seriesId) || (await voiceOf(one.yesTokenId)) !== 'heard') continue
      left -= 1
      const sent = await registrarSpends({
        gas: REGISTRATION_GAS,
        now: now(),
        send: () => registrar.register(one, signal),
      })
      signal.throwIfAborted()
      if (sent.kind === 'mined') onNews({ kind: 'series_listed', seriesId, series: one, hash: sent.hash })
      else {
        postpone('registration', sent.error)
        // A contract's refusal concerns one series only; any other failure would meet the others, too.
        if (!sent.isRefusal) return
      }
    }
  }

  async function watch(signal: AbortSignal): Promise<void> {
    if (quiet === null) return
    const [series, chainTime] = await Promise.all([ports.openSeries(), ports.chainTime()])
    const open = series.filter(({ expiry }) => expiry > chainTime)
    const silent: OpenSeries[] = []
    for (const one of open) {
      signal.throwIfAborted()
      const voice = await voiceOf(one.yesTokenId)
      if (voice === 'heard') handled.delete(one.seriesId)
      if (voice === 'quiet' && !handled.has(one.seriesId)) silent.push(one)
    }
    forget(open)
    if (silent.length === 0) return
    const states = await ports.registered(silent.map(({ seriesId }) => seriesId))
    const tradable = silent.filter(({ seriesId }) => {
      const state = states.get(seriesId)
      return state !== undefined && !state.isHalted && !state.isSettled
    })
    for (const market of byMarket(tradable)) await halt(market, signal)
  }

  function forget(open: readonly OpenSeries[]): void {
    const ids = new Set(open.map(({ seriesId }) => seriesId))
    for (const seriesId of handled) if (!ids.has(seriesId)) handled.delete(seriesId)
  }

  async function halt(market: readonly OpenSeries[], signal: AbortSignal): Promise<void> {
    const conditionId = (market[0] as OpenSeries).conditionId
    for (let i = 0; i < market.length; i += SERIES_PER_HALT) {
      signal.throwIfAborted()
      const seriesIds = market.slice(i, i + SERIES_PER_HALT).map(({ seriesId }) => seriesId)
      if (halter === null) onNews({ kind: 'market_quiet', seriesIds, conditionId })
      else {
        const sent = await halterSpends({ gas: HALT_GAS, now: now(), send: () => halter.halt(seriesIds, signal) })
        signal.throwIfAborted()
        if (sent.kind === 'failed') return postpone('halt', sent.error)
        onNews({ kind: 'series_halted', seriesIds, conditionId, hash: sent.hash })
      }
      for (const seriesId of seriesIds) handled.add(seriesId)
    }
  }

  /** A failure of one part does not stop the other. */
  async function attempt(what: 'listing' | 'watching', work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    try {
      await work()
    } catch (fault) {
      if (signal.aborted) throw signal.reason
      postpone(what, fault)
    }
  }

  return {
    /** Runs once. Results and failures go to `onNews`; rejects only when `signal` aborts. */
    async runRound(signal: AbortSignal): Promise<void> {
      quiet?.begin()
      // Halts come before new series.
      await attempt('watching', () => watch(signal), signal)
      await attempt('listing', () => list(signal), signal)
    },
  }
}

function byMarket(series: readonly OpenSeries[]): OpenSeries[][] {
  const markets = new Map<string, OpenSeries[]>()
  for (const one of series) {
    const key = `${one.conditionId} ${one.yesTokenId}`
    markets.set(key, [...(markets.get(key) ?? []), one])
  }
  return [...markets.values()]
}
