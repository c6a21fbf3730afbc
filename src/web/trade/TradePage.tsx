import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import type { Act } from './act.ts'
import { createBrowserPorts } from './browser-ports.ts'
import { createFrameThrottledStore, type FrameThrottledStore } from './frame-throttle.ts'
import { createTradeSession } from './session.ts'
import { initialState } from './state.ts'
import { TradeView } from './views/TradeView.tsx'

type Shown = { framed: FrameThrottledStore; act: Act }

export function TradePage(): ReactNode {
  const [shown, setShown] = useState<Shown | null>(null)
  useEffect(() => {
    const session = createTradeSession(createBrowserPorts())
    const framed = createFrameThrottledStore(session.store, (run) => void requestAnimationFrame(run))
    setShown({ framed, act: flushing(session.act, framed) })
    return session.close
  }, [])
  return shown === null ? <TradeView state={BEFORE} act={NOTHING} /> : <Trading {...shown} />
}

function Trading({ framed, act }: Shown): ReactNode {
  const state = useSyncExternalStore(framed.subscribe, framed.getState)
  return <TradeView state={state} act={act} />
}

const BEFORE = initialState(0)
const NOTHING = new Proxy({}, { get: () => () => {} }) as Act

/** Shows the first effect of an act at once: a field that waits for a frame would lose the place of its cursor. */
function flushing(act: Act, { flush }: FrameThrottledStore): Act {
  const entries = Object.entries(act).map(([name, run]) => [
    name,
    (...given: unknown[]) => {
      ;(run as (...given: unknown[]) => void)(...given)
      flush()
    },
  ])
  return Object.fromEntries(entries) as Act
}
