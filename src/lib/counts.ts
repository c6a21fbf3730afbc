/** How many of something each key has; the keys with the most are at hand. */
export type Counts<Key> = {
  /** How many a key has; 0 for one that has none. */
  countOf: (key: Key) => number
  /** One more of a key. */
  add: (key: Key) => void
  /** One less of a key that has any. */
  subtract: (key: Key) => void
  /** None of a key any more. */
  clear: (key: Key) => void
  /** Of the keys with the most the one that has had so many for longest; null where there is none. */
  busiest: () => Key | null
  /** How many there are of all keys. */
  sum: () => number
}

/** Counts of nothing. Every call takes the same time, however many keys there are. */
export function createCounts<Key>(): Counts<Key> {
  const counts = new Map<Key, number>()
  /** The keys that have so many; the last set is never empty. */
  const byCount: Set<Key>[] = []
  let sum = 0

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
    add: (key) => move(key, 1),
    subtract: (key) => {
      if (counts.has(key)) move(key, -1)
    },
    clear: (key) => {
      if (counts.has(key)) move(key, -countOf(key))
    },
    busiest: () => byCount.at(-1)?.values().next().value ?? null,
    sum: () => sum,
  }
}
