/** State that views subscribe to: what `useSyncExternalStore` of React takes. */
export type Store<State> = {
  /** The state now: another object after each change, and the same one until then. */
  getState: () => State
  /** Hears of each change. Returns how to stop. */
  subscribe: (hear: () => void) => () => void
}

/** A store with what changes it. */
export function createStore<State, Action>(
  initial: State,
  reduce: (state: State, action: Action) => State,
): Store<State> & { dispatch: (action: Action) => void } {
  const listeners = new Set<() => void>()
  let state = initial
  return {
    getState: () => state,
    subscribe: (hear) => {
      listeners.add(hear)
      return () => void listeners.delete(hear)
    },
    dispatch: (action) => {
      const next = reduce(state, action)
      if (next === state) return
      state = next
      for (const hear of [...listeners]) hear()
    },
  }
}
