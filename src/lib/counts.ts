export type Counts<Key> = ReturnType<typeof createCounts<Key>>

/** Counts per key, with the key of the highest count at hand. Every call takes the same time, however many keys there are. */
export function createCounts<Key>() {
  const counts = new Map<Key, number>()
  /** Keys by count; the last set is never empty. */
  const byCount: Set<Key>[] = []
  let sum = 0

  /** 0 for an unknown key. */
  const countOf = (key: Key): number => counts.get(key) ?? 0

  function move(key: Key, change: number): void {
    const former = countOf(key)
    const count = former + change
    sum += change
    byCount[former]?.delete(key)
    byCount[count] ??= new Set()
    if (count === 0) counts.delete(key)
    else {
      counts.set(key, count)
      byCount[count].add(key)
    }
    while (byCount.at(-1)?.size === 0) byCount.pop()
  }

  return {
    countOf,
    add: (key: Key): void => move(key, 1),
    /** No effect on a key without any. */
    subtract: (key: Key): void => {
      if (counts.has(key)) move(key, -1)
    },
    /** Removes the key. */
    clear: (key: Key): void => {
      if (counts.has(key)) move(key, -countOf(key))
    },
    /** The key with the highest count, of equals the one that has had it longest; null if empty. */
    busiest: (): Key | null => byCount.at(-1)?.values().next().value ?? null,
    sum: () => sum,
  }
}
