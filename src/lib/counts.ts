/** Counts per key, with the key of the highest count at hand. */
export type Counts<Key> = {
  /** 0 for an unknown key. */
  countOf: (key: Key) => number
  add: (key: Key) => void
  /** No effect on a key without any. */
  subtract: (key: Key) => void
  /** Removes the key. */
  clear: (key: Key) => void
  /** The key with the highest count, of equals the one that has had it longest; null if empty. */
  busiest: () => Key | null
  sum: () => number
}

/** Every call takes the same time, however many keys there are. */
export function createCounts<Key>(): Counts<Key> {
  const counts = new Map<Key, number>()
  /** Keys by count; the last set is never empty. */
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
