import { entryOf, readPath } from './address.ts'
import type { SessionContext } from './context.ts'
import type { TradeStore } from './session.ts'
import type { Place } from './state.ts'

/**
 * Keeps the address of the page that of what it shows, and shows what its address names. A new step is a new entry of
 * the history, and another choice within a step replaces it. Returns the function that ends it.
 */
export function followHistory({ ports: { history }, dispatch, signal }: SessionContext, store: TradeStore): () => void {
  let last: ReturnType<typeof entryOf> | null = null
  const open = () => {
    const { path, place } = history.now()
    const address = readPath(path)
    last = null
    dispatch({ kind: 'address-opened', address, place: place ?? firstPlace(address.kind) })
  }
  // The link that skips to the content is a step of the history as well, and stays with what is shown.
  const step = () => {
    const { path, place } = history.now()
    if (path !== last?.path || (place !== null && place !== last.place)) open()
  }
  const write = () => {
    const state = store.get()
    // Until it is read, what the address names is not shown, and the address stays.
    if (state.markets === null || state.series === null || state.arrival.kind === 'awaited') return
    const entry = entryOf(state)
    const before = last
    last = entry
    if (before === null) {
      const { path, place } = history.now()
      if (path !== entry.path || place !== entry.place) history.replace(entry)
    } else if (before.step !== entry.step) history.push(entry)
    else if (before.path !== entry.path) history.replace(entry)
  }
  // One press may be several changes, and is one step.
  let isDue = false
  const writeSoon = () => {
    if (isDue) return
    isDue = true
    queueMicrotask(() => {
      isDue = false
      if (!signal.aborted) write()
    })
  }
  const stops = [store.onChange(writeSoon), history.onChange(step)]
  open()
  return () => {
    for (const stop of stops) stop()
  }
}

/** A page that is opened at a trade, an option or the history shows it, also where there is room for one thing only. */
function firstPlace(kind: ReturnType<typeof readPath>['kind']): Place {
  if (kind === 'history') return 'mine'
  return kind === 'home' || kind === 'market' ? 'markets' : 'panel'
}
