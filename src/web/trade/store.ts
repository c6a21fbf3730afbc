/** Fits React's `useSyncExternalStore`. */
export type Store<State> = {
  /** Another object after each change, and the same one until then. */
  getState: () => State
  subscribe: (hear: () => void) => () => void
}

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
