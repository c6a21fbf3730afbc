import type { Hex } from '@rfqctl/client/index'
import { createStore, type Store } from '../store.ts'
import { createTradeAct } from './act.ts'
import { type Committer, createCommitter } from './commit.ts'
import type { SessionContext } from './context.ts'
import { createFiller } from './fill.ts'
import { follow } from './follow.ts'
import { followHistory } from './follow-history.ts'
import { createNotifier, type Notifier } from './notify.ts'
import type { TradePorts, Trader } from './ports.ts'
import { reduce, type TradeAction } from './reduce.ts'
import { initialState, type TradeState } from './state.ts'
import { createTradeStorage, type TradeStorage } from './trade-storage.ts'
import { isUnderWay } from './trade-view.ts'
import { chainWallet } from './view-model.ts'
import { createWalletLink, SANDBOX_OFFER, type WalletLink } from './wallet-link.ts'
import { createWatcher, followOrders } from './watch.ts'

/** Changed by acts alone. */
export type TradeStore = Omit<Store<TradeState, never>, 'dispatch'>

export type TradeSession = ReturnType<typeof createTradeSession>

export function createTradeSession(ports: TradePorts) {
  const ending = new AbortController()
  const keep = createTradeStorage(ports.storage)
  const { dispatch, ...store } = createKeptStore(ports, keep)
  const context: SessionContext = {
    ports,
    get: store.get,
    dispatch,
    signal: ending.signal,
    wallet: () => link.current(),
    ...createTraders(ports, store.get, () => link),
    refresh: () => follower.refresh(),
  }
  const filler = createFiller(context)
  const committer = createCommitter(context, filler.fill)
  const link = createWalletLink(context, keep)
  dispatch({ kind: 'privacy-kept', privacy: keep.privacy() })
  for (const record of keep.load()) dispatch({ kind: 'trade-kept', record })
  const follower = follow(context)
  const watcher = createWatcher(context)
  const notifier = createNotifier(context, store, keep)
  const stops = [
    ports.wallets.discover(link.offer),
    followPages(keep, dispatch, notifier),
    notifier.close,
    store.onChange(() => watcher.show(store.get().activeTradeId)),
    offerSandbox(store, link),
    onNew(store, chainWallet, () => {
      filler.resume()
      follower.refresh()
    }),
    onNew(store, ({ ticket }) => ticket.marketKey, follower.look),
    ports.attention.onShown(follower.look),
    link.close,
    followHistory(context, store),
  ]
  takeUp(context, committer)
  void followOrders(context, (requestId) => filler.isBusy(requestId) || committer.isBusy(requestId))
  return {
    store,
    act: createTradeAct(context, { link, committer, filler, follower, notifier }),
    close: () => {
      ending.abort()
      for (const stop of stops) stop()
    },
  }
}

/** Quotes race faster than a screen redraws; all else is drawn at once, so that a field has its letter in its place. */
const RACING: ReadonlySet<TradeAction['kind']> = new Set(['book-shown', 'size-quoted', 'ticked'] as const)
const FRAME_MS = 16

function createKeptStore(ports: TradePorts, keep: TradeStorage) {
  const store = createStore({
    initial: initialState(ports.clock.now()),
    reduce,
    clock: ports.frames,
    waitMs: ({ kind }: TradeAction) => (RACING.has(kind) ? FRAME_MS : 0),
  })
  const dispatch = (action: TradeAction): void => {
    const before = store.get()
    store.dispatch(action)
    const after = store.get()
    // A trade kept by this page or another one is not kept again.
    if (before.trades !== after.trades && action.kind !== 'trade-kept') keepTrades(before, after)
    if (action.kind === 'privacy-chosen') sayIfForgotten(keep.savePrivacy(after.privacy))
  }
  function sayIfForgotten(isSaved: boolean): void {
    if (!isSaved && !store.get().isForgetful) store.dispatch({ kind: 'nothing-kept' })
  }
  function keepTrades(before: TradeState, after: TradeState): void {
    const isSaved = after.trades
      .filter((record) => !before.trades.includes(record))
      .every((record) => keep.save(record))
    sayIfForgotten(isSaved)
    for (const { request } of before.trades) {
      const isLeft = after.trades.some((record) => record.request.requestId === request.requestId)
      if (!isLeft) keep.forget(request.requestId)
    }
  }
  return { ...store, dispatch }
}

function createTraders(ports: TradePorts, get: () => TradeState, link: () => WalletLink) {
  let reader: { key: string; trader: Trader } | null = null
  function signerNow() {
    const wallet = link().current()
    const { environment, wallet: shown } = get()
    if (wallet === null || environment === null || environment.mode === 'simulated') return {}
    const usesSandboxChain = shown.standing.kind === 'connected' && shown.standing.walletKind === 'sandbox'
    return { signer: { account: wallet.signer, environment, usesSandboxChain } }
  }
  return {
    reader: (): Trader => {
      const { environment } = get()
      const key = [link().current()?.address, environment?.chainId, environment?.settlementAddress].join(' ')
      if (reader?.key !== key) reader = { key, trader: ports.openTrader(signerNow()) }
      return reader.trader
    },
    traderFor: (onSent: (hash: Hex) => void) => ports.openTrader({ ...signerNow(), onSent }),
  }
}

/** Pages of one origin show the same trades, and each acts only for its own user. */
const followPages = (keep: TradeStorage, dispatch: (action: TradeAction) => void, notifier: Notifier): (() => void) =>
  keep.onChange((change) => {
    if ('record' in change) dispatch({ kind: 'trade-kept', record: change.record })
    else if ('forgotten' in change) dispatch({ kind: 'trade-forgotten', requestId: change.forgotten })
    else if ('privacy' in change) dispatch({ kind: 'privacy-kept', privacy: change.privacy })
    else notifier.recall()
  })

/** A sandbox risks no money, so the page has an account of its own. */
function offerSandbox(store: TradeStore, link: WalletLink): () => void {
  let isOffered = false
  return store.onChange(() => {
    const { environment } = store.get()
    if (isOffered || environment === null || !(environment.sandbox || environment.mode === 'simulated')) return
    isOffered = true
    link.offer(SANDBOX_OFFER)
  })
}

/** Calls `hear` once for each value; null is none. */
function onNew(store: TradeStore, pick: (state: TradeState) => string | null, hear: () => void): () => void {
  let last: string | null = null
  return store.onChange(() => {
    const now = pick(store.get())
    if (now === last) return
    last = now
    if (now !== null) hear()
  })
}

/**
 * Resumes what was under way when the page was left: joins a sent commit, and shows the newest trade unless the address
 * names something else.
 */
function takeUp({ get, dispatch }: SessionContext, committer: Committer): void {
  const { trades, arrival } = get()
  const newest = trades.find(isUnderWay)
  const isHome = arrival.kind === 'awaited' && arrival.address.kind === 'home'
  if (newest !== undefined && isHome) {
    const address = { kind: 'trade', requestId: newest.request.requestId } as const
    dispatch({ kind: 'address-opened', address, place: 'panel' })
  }
  for (const { request, stage } of trades) {
    if (stage.kind === 'committing') void committer.commit(request.requestId)
  }
}
