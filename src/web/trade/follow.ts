import { type LinkedAbort, linkAbort } from '../../client/abort.ts'
import { pause } from '../../client/clock.ts'
import type { SeriesId } from '../../client/index.ts'
import type { Desk } from './desk.ts'
import { failureOf } from './failure.ts'
import type { PositionEntry } from './state.ts'

/** How often things are read, milliseconds; all of it again at once after a deed. */
const MARKET_MS = 5_000
const WALLET_MS = 10_000
const WINDOW_MS = 5_000
/** Every so many rounds of the market its series, the environment and the clocks. */
const SERIES_ROUNDS = 3
const TICK_MS = 250

/** The pauses before a relay that is lost is tried again, milliseconds. */
const RETRY_MS = [1_000, 2_000, 4_000, 8_000, 15_000]

/** What keeps the state up to date; each part can be told to read again now. */
export type Follower = { refresh: () => void; reconnect: () => void; watchWindow: (seriesId: SeriesId | null) => void }

/** Follows the time, the market, the wallet and the prices of a window, until the signal aborts. */
export function follow(desk: Desk): Follower {
  tick(desk)
  const market = createLoop(desk, createMarketRound(desk))
  const wallet = createLoop(desk, createWalletRound(desk))
  let watched: SeriesId | null = null
  const window = createLoop(desk, async () => {
    if (watched !== null) await readWindow(desk, watched)
    return WINDOW_MS
  })
  return {
    refresh: () => {
      market.wake()
      wallet.wake()
      window.wake()
    },
    reconnect: market.wake,
    watchWindow: (seriesId) => {
      watched = seriesId
      if (seriesId !== null) window.wake()
    },
  }
}

/** The page's clock, for countdowns. */
function tick({ ports, dispatch, signal }: Desk): void {
  const { clock } = ports
  const next = () => {
    if (signal.aborted) return
    dispatch({ kind: 'ticked', now: clock.now() })
    clock.schedule(clock.now() + TICK_MS, next)
  }
  clock.schedule(clock.now() + TICK_MS, next)
}

/** Does rounds with the pauses that they ask for. `wake` begins the next one now, or once more after the one that runs. */
function createLoop({ ports, signal }: Desk, round: () => Promise<number>): { wake: () => void } {
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

/** The market: what the relay says of itself, and what can be traded. Answers how long to rest. */
function createMarketRound(desk: Desk): () => Promise<number> {
  const { ports, dispatch, signal, get } = desk
  let failures = 0
  let round = 0
  return async () => {
    const trader = desk.reader()
    const isFull = round % SERIES_ROUNDS === 0 || get().link.kind !== 'live'
    try {
      const [markets, series] = await Promise.all([
        trader.listMarkets({ signal }),
        isFull ? trader.listSeries({ packages: true, signal }) : undefined,
        isFull ? readClocks(desk) : undefined,
      ])
      if (signal.aborted) return 0
      dispatch({ kind: 'market-read', markets, ...(series === undefined ? {} : { series }) })
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

/** The environment, with the clocks of relay and chain. */
export async function readClocks(desk: Desk): Promise<void> {
  const { ports, dispatch, signal } = desk
  const trader = desk.reader()
  const [environment, relay] = await Promise.all([trader.getEnvironment({ signal }), trader.getTime({ signal })])
  if (signal.aborted) return
  const chain = environment.chainTime === null ? null : environment.chainTime * 1_000
  dispatch({ kind: 'environment-read', environment })
  dispatch({ kind: 'clocks-read', now: ports.clock.now(), relay, chain })
}

/** What the wallet holds and has. Answers how long to rest. */
function createWalletRound(desk: Desk): () => Promise<number> {
  let costed = ''
  return async () => {
    const wallet = desk.wallet()
    const { environment } = desk.get()
    if (wallet === null || environment === null || environment.mode === 'simulated') return WALLET_MS
    const { address } = wallet
    await Promise.all([readFunds(desk, address), readPositions(desk, address)])
    const rows = desk.get().positions?.rows ?? []
    const held = [address, ...rows.map(({ series, long, short }) => `${series.seriesId}:${long}:${short}`)].join(' ')
    if (held !== costed && (await readCosts(desk, { address, rows }))) costed = held
    return WALLET_MS
  }
}

/** Whether the wallet that was asked is still the one that is used. */
const isCurrent = ({ wallet, signal }: Desk, address: string): boolean =>
  !signal.aborted && wallet()?.address === address

async function readFunds(desk: Desk, address: string): Promise<void> {
  const { ports, dispatch, signal } = desk
  const trader = desk.reader()
  const funds = await Promise.all([trader.getBalance({ signal }), trader.getCoinBalance({ signal })]).then(
    ([stablecoin, coin]) => ({ stablecoin, coin, readAt: ports.clock.now() }),
    // The wallet is on another chain, or its node does not answer: what it held before is still the best that is known.
    () => desk.get().wallet.funds,
  )
  if (isCurrent(desk, address)) dispatch({ kind: 'funds-read', funds })
}

async function readPositions(desk: Desk, address: `0x${string}`): Promise<void> {
  const { ports, dispatch, signal } = desk
  try {
    const valued = await desk.reader().listValuedPositions({ wallet: address, signal })
    const rows = valued.map((position): PositionEntry => ({ ...position, cost: null }))
    if (isCurrent(desk, address)) dispatch({ kind: 'positions-read', now: ports.clock.now(), rows })
  } catch (error) {
    if (!isCurrent(desk, address)) return
    dispatch({ kind: 'positions-failed', now: ports.clock.now(), failure: failureOf(error) })
  }
}

/** What was put into each position, of the chain's events; false where they could not be read. */
async function readCosts(
  desk: Desk,
  { address, rows }: { address: string; rows: readonly PositionEntry[] },
): Promise<boolean> {
  const seriesIds = rows.map(({ series }) => series.seriesId)
  if (seriesIds.length === 0) return true
  const { signal } = desk
  const costed = await desk
    .reader()
    .listCostedPositions({ seriesIds, signal })
    .catch(() => null)
  if (costed === null || !isCurrent(desk, address)) return false
  desk.dispatch({ kind: 'costs-read', costs: new Map(costed.map(({ seriesId, cost }) => [seriesId, cost])) })
  return true
}

async function readWindow({ reader, ports, dispatch, signal }: Desk, seriesId: SeriesId): Promise<void> {
  try {
    const prices = await reader().getWindowPrices({ seriesId, signal })
    if (!signal.aborted) dispatch({ kind: 'window-read', now: ports.clock.now(), seriesId, prices })
  } catch (error) {
    if (!signal.aborted) dispatch({ kind: 'window-failed', seriesId, failure: failureOf(error) })
  }
}
