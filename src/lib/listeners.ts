/** Functions that are called together; one that is added twice is called twice. */
export function createListeners<Args extends unknown[] = []>() {
  const listeners = new Set<(...args: Args) => void>()
  return {
    size: () => listeners.size,
    add: (onCall: (...args: Args) => void): (() => void) => {
      const listener = (...args: Args) => onCall(...args)
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** A listener that is added or removed during a call is not called. */
    call: (...args: Args): void => {
      for (const listener of [...listeners]) if (listeners.has(listener)) listener(...args)
    },
  }
}
