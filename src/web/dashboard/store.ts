import type { Clock } from '@rfqctl/lib/clock'
import { type Action, type DashboardState, reduce } from './state.ts'

/** Holds the state between what changes it and what shows it. */
export type Store = {
  get: () => DashboardState
  dispatch: (action: Action) => void
  /** Calls a listener for each change of the state. */
  subscribe: (listener: () => void) => () => void
}

/** How often listeners are called at most, milliseconds: of what the relay does; of what a key did, or of the link. */
export type Pace = { relayMs: number; keyMs: number }

/** A store of the reducer. Changes that come before listeners are due again reach them as one. */
export function createStore({ initial, clock, pace }: { initial: DashboardState; clock: Clock; pace: Pace }): Store {
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
    dispatch: (action) => {
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
    subscribe: (onChange) => {
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
