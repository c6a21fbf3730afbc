/**
 * Counts events per name within a sliding window: at most `max` within `withinMs`. Times are Unix milliseconds. Names
 * with nothing left in the window are forgotten.
 */
export function createWindow({ max, withinMs }: { max: number; withinMs: number }) {
  const times = new Map<string, number[]>()
  let sweptAt = 0

  const recent = (name: string, now: number) => (times.get(name) ?? []).filter((time) => time > now - withinMs)

  /** Runs once per window: a name that never comes again would stay. */
  function sweep(now: number): void {
    if (now - sweptAt < withinMs) return
    sweptAt = now
    for (const name of times.keys()) if (recent(name, now).length === 0) times.delete(name)
  }

  return {
    /** Milliseconds until there is room under a name; 0: now. */
    waitMs: (name: string, now: number): number => {
      const counted = recent(name, now)
      if (counted.length < max) return 0
      return max === 0 ? withinMs : (counted[counted.length - max] as number) + withinMs - now
    },
    /** Counts one, and returns its undo. */
    add: (name: string, now: number) => {
      sweep(now)
      times.set(name, [...recent(name, now), now])
      return () => {
        const counted = times.get(name) ?? []
        const index = counted.indexOf(now)
        if (index >= 0) times.set(name, counted.toSpliced(index, 1))
      }
    },
  }
}

/** Wei that may be spent within a sliding window. A sum that may fall due is held before it is spent. */
export function createBudget({ withinMs }: { withinMs: number }) {
  let entries: { amount: bigint; at: number }[] = []
  return {
    /** Spent plus held. */
    used: (now: number): bigint => {
      entries = entries.filter(({ at }) => at > now - withinMs)
      return entries.reduce((sum, { amount }) => sum + amount, 0n)
    },
    /** Holds a sum; the returned function settles it at the actual amount. */
    hold: (amount: bigint, now: number) => {
      const entry = { amount, at: now }
      entries.push(entry)
      return (spent: bigint): void => {
        entry.amount = spent
      }
    },
  }
}
