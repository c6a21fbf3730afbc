/** Entries younger than `keptMs` by `now`, and at most the newest `limit`. */
export function createTtlMap<Value>(parts: { now: () => number; keptMs: number; limit?: number }) {
  const { now, keptMs, limit = Number.POSITIVE_INFINITY } = parts
  /** In the order of time: a new entry goes last. */
  const entries = new Map<string, { at: number; value: Value }>()
  const isOver = (at: number) => at + keptMs <= now()

  function forget(): void {
    for (const [key, { at }] of entries) {
      if (!isOver(at) && entries.size <= limit) return
      entries.delete(key)
    }
  }

  return {
    /** Replaces a former entry of the key; `at` in Unix milliseconds. */
    put: (key: string, at: number, value: Value): void => {
      entries.delete(key)
      entries.set(key, { at, value })
      forget()
    },
    get: (key: string): Value | null => {
      const entry = entries.get(key)
      return entry === undefined || isOver(entry.at) ? null : entry.value
    },
  }
}
