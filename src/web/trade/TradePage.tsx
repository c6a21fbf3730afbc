import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import { createBrowserPorts } from './browser-ports.ts'
import { createTradeSession, type TradeSession } from './session.ts'
import { TradeView } from './views/TradeView.tsx'

/** The page on which one trades. */
export function TradePage(): ReactNode {
  const [session, setSession] = useState<TradeSession | null>(null)
  useEffect(() => {
    const opened = createTradeSession(createBrowserPorts())
    setSession(opened)
    return opened.close
  }, [])
  return session === null ? null : <OpenPage session={session} />
}

function OpenPage({ session: { store, act } }: { session: TradeSession }): ReactNode {
  const state = useSyncExternalStore(store.subscribe, store.getState)
  return <TradeView state={state} act={act} />
}
