import { createRelayerClient } from '@rfqctl/client/relayer'
import { systemClock } from '@rfqctl/lib/clock'
import type { EIP1193Provider } from 'viem'
import { attempt } from '../parts/attempt.ts'
import { frameClock } from '../parts/frame-clock.ts'
import { createTraderOpener } from './open-trader.ts'
import type { PageHistory, Sight, Storage, TradePorts } from './ports.ts'
import type { Place } from './state.ts'
import { createWallets } from './wallets.ts'

/** The origin that served the page is its relay. */
export function createBrowserPorts(): TradePorts {
  const url = location.origin
  const storage = createBrowserStorage()
  return {
    clock: systemClock,
    frames: frameClock,
    history: createBrowserHistory(),
    sight: createBrowserSight(),
    storage,
    wallets: createWallets({
      window,
      injected: (window as { ethereum?: EIP1193Provider }).ethereum,
      openSandboxAccount: async () => (await import('./sandbox-account.ts')).openSandboxAccount(storage),
      sandboxRpcUrl: `${url}/sandbox/rpc`,
    }),
    openTrader: createTraderOpener({ url }),
    openRelayer: (relayerUrl) => createRelayerClient({ url: relayerUrl }),
  }
}

const createBrowserSight = (): Sight => ({
  isSeen: () => !document.hidden,
  onSeen: (hear) => {
    const onChange = () => {
      if (!document.hidden) hear()
    }
    document.addEventListener('visibilitychange', onChange)
    return () => document.removeEventListener('visibilitychange', onChange)
  },
})

function createBrowserHistory(): PageHistory {
  return {
    now: () => ({ path: location.pathname, place: (history.state as { place?: Place } | null)?.place ?? null }),
    push: ({ path, place }) => history.pushState({ place }, '', path),
    replace: ({ path, place }) => history.replaceState({ place }, '', path),
    onChange: (hear) => {
      window.addEventListener('popstate', hear)
      return () => window.removeEventListener('popstate', hear)
    },
  }
}

/** A browser that keeps nothing throws on access. */
function createBrowserStorage(): Storage {
  const kept = attempt(() => window.localStorage)
  return {
    keys: () => (kept === null ? [] : Array.from({ length: kept.length }, (_, index) => kept.key(index) ?? '')),
    read: (key) => attempt(() => kept?.getItem(key) ?? null),
    write: (key, text) => {
      if (kept === null) throw new Error('The browser keeps nothing.')
      kept.setItem(key, text)
    },
    remove: (key) => kept?.removeItem(key),
    onChange: (hear) => {
      const onStorage = ({ key, newValue, storageArea }: StorageEvent) => {
        if (storageArea === kept && key !== null) hear({ key, text: newValue })
      }
      window.addEventListener('storage', onStorage)
      return () => window.removeEventListener('storage', onStorage)
    },
  }
}
