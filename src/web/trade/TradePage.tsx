import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import type { TradeAct } from './act.ts'
import { createBrowserPorts } from './browser-ports.ts'
import { createTradeSession, type TradeSession } from './session.ts'
import { initialState } from './state.ts'
import { TradeView } from './views/TradeView.tsx'

export function TradePage(): ReactNode {
  const [session, setSession] = useState<TradeSession | null>(null)
  useEffect(() => {
    const opened = createTradeSession(createBrowserPorts())
    setSession(opened)
    return opened.close
  }, [])
  return session === null ? <TradeView state={BEFORE} act={NOTHING} /> : <Trading {...session} />
}

function Trading({ store, act }: TradeSession): ReactNode {
  const state = useSyncExternalStore(store.subscribe, store.get)
  return <TradeView state={state} act={act} />
}

const BEFORE = initialState(0)
const NOTHING = new Proxy({}, { get: () => () => {} }) as TradeAct
