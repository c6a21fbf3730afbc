import type { Clock } from '../client/clock.ts'
import { type Action, type DashboardState, reduce } from './state.ts'

/** Holds the state between what changes it and what shows it. */
export type Store = {
  get: () => DashboardState
  dispatch: (action: Action) => void
  /** Hears that the state has changed, at once but never more often than every so many milliseconds. */
  subscribe: (listener: () => void) => () => void
}

/** A store of the reducer. What changes while listeners are not to be told yet is told as one change. */
export function createStore({
  initial,
  clock,
  everyMs,
}: {
  initial: DashboardState
  clock: Clock
  everyMs: number
}): Store {
  const listeners = new Set<() => void>()
  let state = initial
  let toldAt = Number.NEGATIVE_INFINITY
  let stopTimer: (() => void) | null = null

  function tell(): void {
    stopTimer = null
    toldAt = clock.now()
    for (const listener of listeners) listener()
  }

  return {
    get: () => state,
    dispatch: (action) => {
      state = reduce(state, action)
      if (stopTimer !== null) return
      if (clock.now() >= toldAt + everyMs) tell()
      else stopTimer = clock.schedule(toldAt + everyMs, tell)
    },
    subscribe: (onChange) => {
      const listener = () => onChange()
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) stopTimer?.()
      }
    },
  }
}
