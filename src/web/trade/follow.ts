import type { MarketSurface, SeriesId } from '@rfqctl/client/index'
import { type LinkedAbort, linkAbort } from '@rfqctl/lib/abort'
import { pause } from '@rfqctl/lib/clock'
import type { SessionContext } from './context.ts'
import { failureOf } from './failure.ts'
import type { PositionEntry, TradeState } from './state.ts'
import { createTapeRound } from './tape.ts'
import { isUnderWay } from './trade-view.ts'
import { chainWallet, chosenMarket } from './view-model.ts'

/** Intervals of reads, milliseconds; an action has all of it read at once. */
const MARKET_MS = 5_000
const WALLET_MS = 10_000
const WINDOW_MS = 5_000
/** Rounds of the market per read of its series, the environment and the clocks. */
const SERIES_ROUNDS = 3

/**
 * Intervals of the page's time, milliseconds. Each tick draws the page: smoothly during a countdown, each second if a
 * remaining time or news may be shown, else as seldom as the market is read.
 */
const COUNTDOWN_MS = 250
const SHOWN_MS = 1_000
const IDLE_MS = MARKET_MS

/** Pauses before a lost relay is tried again, milliseconds. */
const RETRY_MS = [1_000, 2_000, 4_000, 8_000, 15_000]

export type Follower = ReturnType<typeof follow>

export function follow(context: SessionContext) {
  tick(context)
  const market = createLoop(context, createMarketRound(context))
  let isHistoryWatched = false
  const wallet = createLoop(
    context,
    createWalletRound(context, () => isHistoryWatched),
  )
  const tape = createLoop(context, createTapeRound(context))
  let watched: SeriesId | null = null
  const window = createLoop(context, async () => {
    if (watched !== null) await readWindow(context, watched)
    return WINDOW_MS
  })
  return {
    refresh: () => {
      market.wake()
      wallet.wake()
      window.wake()
    },
    reconnect: market.wake,
    /** Another market is looked at, or the page is again. */
    look: () => {
      market.wake()
      tape.wake()
    },
    watchWindow: (seriesId: SeriesId | null) => {
      watched = seriesId
      if (seriesId !== null) window.wake()
    },
    watchHistory: (isWatched: boolean) => {
      isHistoryWatched = isWatched
      if (isWatched) wallet.wake()
    },
  }
}

function tick({ ports, get, dispatch, signal }: SessionContext): void {
  const { clock } = ports
  const rest = () => void clock.schedule(clock.now() + Math.min(paceOf(get()), SHOWN_MS), next)
  const next = () => {
    if (signal.aborted) return
    // Looked at each second and drawn less often, so that a new countdown starts in time.
    if (paceOf(get()) < IDLE_MS || clock.now() - get().now >= IDLE_MS) dispatch({ kind: 'ticked', now: clock.now() })
    rest()
  }
  rest()
}

function paceOf({ link, trades, positions, tasks }: TradeState): number {
  if (link.kind !== 'live' || trades.some(isUnderWay)) return COUNTDOWN_MS
  const isShown = (positions !== null && positions.rows.length > 0) || Object.keys(tasks).length > 0
  return isShown ? SHOWN_MS : IDLE_MS
}

/** Runs rounds with the pauses that they return. `wake` begins the next one now, or once more after the current one. */
function createLoop({ ports, signal }: SessionContext, round: () => Promise<number>): { wake: () => void } {
  let rest: LinkedAbort | null = null
  let isAsked = false
  async function run(): Promise<void> {
    while (!signal.aborted) {
      isAsked = false
      const ms = await round()
      if (isAsked || signal.aborted) continue
      rest = linkAbort(signal)
      await pause(ms, { clock: ports.clock, signal: rest.signal }).catch(() => {})
      rest.release()
    }
  }
  void run()
  return {
    wake: () => {
      isAsked = true
      rest?.abort()
    },
  }
}

function createMarketRound(context: SessionContext): () => Promise<number> {
  const { ports, dispatch, signal, get } = context
  let failures = 0
  let round = 0
  return async () => {
    const trader = context.reader()
    const isFull = round % SERIES_ROUNDS === 0 || get().link.kind !== 'live'
    try {
      const [markets, series, surface] = await Promise.all([
        trader.listMarkets({ signal }),
        isFull ? trader.listSeries({ packages: true, signal }) : undefined,
        readSurface(context),
        isFull ? readClocks(context) : undefined,
      ])
      if (signal.aborted) return 0
      dispatch({
        kind: 'market-read',
        markets,
        ...(series === undefined ? {} : { series }),
        ...(surface === undefined ? {} : { surface }),
      })
      dispatch({ kind: 'relay-answered' })
      failures = 0
      round += 1
      return MARKET_MS
    } catch (error) {
      if (signal.aborted) return 0
      const retryMs = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] as number
      failures += 1
      round = 0
      const now = ports.clock.now()
      dispatch({ kind: 'relay-failed', now, retryAt: now + retryMs, failure: failureOf(error) })
      return retryMs
    }
  }
}

/** Reads that of the market on the ticket; undefined, which leaves the former one, where no market is chosen or the relay gives none. */
async function readSurface({ reader, get, ports, signal }: SessionContext): Promise<MarketSurface | undefined> {
  const market = chosenMarket(get())
  if (market === null || ports.attention.isHidden()) return undefined
  const { conditionId } = market
  return reader()
    .getSurface({ conditionId, signal })
    .catch(() => undefined)
}

/** Reads the environment with the clocks of relay and chain. `isAfterWarp`: the caller has just moved chain time. */
export async function readClocks(context: SessionContext, { isAfterWarp = false } = {}): Promise<void> {
  const { ports, dispatch, signal, get } = context
  const { warp } = get().tasks
  const trader = context.reader()
  const [environment, relay] = await Promise.all([trader.getEnvironment({ signal }), trader.getTime({ signal })])
  if (signal.aborted) return
  dispatch({ kind: 'environment-read', environment })
  // An answer from before the move would take the chain back, and replace the next step just as it is pressed.
  const isOld = !isAfterWarp && (warp?.kind === 'running' || get().tasks.warp !== warp)
  const chain = environment.chainTime === null || isOld ? null : environment.chainTime * 1_000
  dispatch({ kind: 'clocks-read', now: ports.clock.now(), relay, chain })
}

function createWalletRound(context: SessionContext, wantsHistory: () => boolean): () => Promise<number> {
  let costed = ''
  let recounted = ''
  return async () => {
    const wallet = context.wallet()
    const { environment } = context.get()
    if (wallet === null || environment === null || environment.mode === 'simulated') return WALLET_MS
    const { address } = wallet
    await Promise.all([readFunds(context, address), readPositions(context, address)])
    const rows = context.get().positions?.rows ?? []
    // Events are read back over many blocks: once, and then after each change of what is held or of what it resolves at.
    const held = [
      address,
      ...rows.map(({ series, long, short }) => [series.seriesId, long, short, series.resolutionBps].join(':')),
    ].join(' ')
    if (held !== costed && (await readCosts(context, { address, rows }))) costed = held
    const isReadable = wantsHistory() && chainWallet(context.get()) !== null
    if (isReadable && held !== recounted && (await readHistory(context, address))) recounted = held
    return WALLET_MS
  }
}

const isCurrent = ({ wallet, signal }: SessionContext, address: string): boolean =>
  !signal.aborted && wallet()?.address === address

async function readFunds(context: SessionContext, address: string): Promise<void> {
  const { ports, dispatch, signal } = context
  const trader = context.reader()
  const funds = await Promise.all([trader.getBalance({ signal }), trader.getCoinBalance({ signal })]).then(
    ([stablecoin, coin]) => ({ stablecoin, coin, readAt: ports.clock.now() }),
    // The wallet is on another chain, or its node does not answer: its last known funds stay.
    () => context.get().wallet.funds,
  )
  if (isCurrent(context, address)) dispatch({ kind: 'funds-read', funds })
}

async function readPositions(context: SessionContext, address: `0x${string}`): Promise<void> {
  const { ports, dispatch, signal } = context
  try {
    const valued = await context.reader().listValuedPositions({ wallet: address, signal })
    const rows = valued.map((position): PositionEntry => ({ ...position, cost: null }))
    if (isCurrent(context, address)) dispatch({ kind: 'positions-read', now: ports.clock.now(), rows })
  } catch (error) {
    if (!isCurrent(context, address)) return
    dispatch({ kind: 'positions-failed', now: ports.clock.now(), failure: failureOf(error) })
  }
}

async function readCosts(
  context: SessionContext,
  { address, rows }: { address: string; rows: readonly PositionEntry[] },
): Promise<boolean> {
  const seriesIds = rows.map(({ series }) => series.seriesId)
  if (seriesIds.length === 0) return true
  const { signal } = context
  const costed = await context
    .reader()
    .listCostedPositions({ seriesIds, signal })
    .catch(() => null)
  if (costed === null || !isCurrent(context, address)) return false
  context.dispatch({ kind: 'costs-read', costs: new Map(costed.map(({ seriesId, cost }) => [seriesId, cost])) })
  return true
}

async function readHistory(context: SessionContext, address: string): Promise<boolean> {
  const { dispatch, signal } = context
  try {
    const [{ trades, isComplete }, { formatTradesCsv }] = await Promise.all([
      context.reader().getTradeHistory({ signal }),
      import('@rfqctl/client/trade-csv'),
    ])
    if (!isCurrent(context, address)) return false
    dispatch({ kind: 'history-read', history: { trades, isComplete, csv: formatTradesCsv(trades), failure: null } })
    return true
  } catch (error) {
    if (isCurrent(context, address)) dispatch({ kind: 'history-failed', failure: failureOf(error) })
    return false
  }
}

async function readWindow({ reader, ports, dispatch, signal }: SessionContext, seriesId: SeriesId): Promise<void> {
  try {
    const prices = await reader().getWindowPrices({ seriesId, signal })
    if (!signal.aborted) dispatch({ kind: 'window-read', now: ports.clock.now(), seriesId, prices })
  } catch (error) {
    if (!signal.aborted) dispatch({ kind: 'window-failed', seriesId, failure: failureOf(error) })
  }
}
