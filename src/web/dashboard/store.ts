import type { Clock } from '@rfqctl/lib/clock'
import { type Action, type DashboardState, reduce } from './state.ts'

export type Store = ReturnType<typeof createStore>

/**
 * Shortest intervals of calls to listeners, milliseconds: `relayMs` for the relay's events, `keyMs` for keys and the
 * link.
 */
export type Pace = { relayMs: number; keyMs: number }

/** Merges changes until listeners are due again. */
export function createStore({ initial, clock, pace }: { initial: DashboardState; clock: Clock; pace: Pace }) {
  const listeners = new Set<() => void>()
  let state = initial
  let notifiedAt = Number.NEGATIVE_INFINITY
  let due: { at: number; stop: () => void } | null = null

  function notify(): void {
    due?.stop()
    due = null
    notifiedAt = clock.now()
    for (const listener of listeners) listener()
  }

  return {
    get: () => state,
    dispatch: (action: Action): void => {
      const before = state
      state = reduce(before, action)
      if (state === before) return
      const isDeferrable = isOfRelay(action) && state.link.kind === before.link.kind
      const at = notifiedAt + (isDeferrable ? pace.relayMs : pace.keyMs)
      if (due !== null && due.at <= at) return
      due?.stop()
      if (at <= clock.now()) notify()
      else due = { at, stop: clock.schedule(at, notify) }
    },
    subscribe: (onChange: () => void): (() => void) => {
      const listener = () => onChange()
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) due?.stop()
      }
    },
  }
}

const isOfRelay = ({ kind }: Action): boolean =>
  kind === 'events' || kind === 'tick' || kind === 'link' || kind === 'refused'
