/** Counts events per name within a sliding window. Times are Unix milliseconds. */
export type Window = {
  /** Milliseconds until there is room under a name; 0: now. */
  waitMs: (name: string, now: number) => number
  /** Counts one, and returns its undo. */
  add: (name: string, now: number) => () => void
}

/** At most `max` per name within `withinMs`. Names with nothing left in the window are forgotten. */
export function createWindow({ max, withinMs }: { max: number; withinMs: number }): Window {
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
    waitMs: (name, now) => {
      const counted = recent(name, now)
      if (counted.length < max) return 0
      return max === 0 ? withinMs : (counted[counted.length - max] as number) + withinMs - now
    },
    add: (name, now) => {
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
export type Budget = {
  /** Spent plus held. */
  used: (now: number) => bigint
  /** Holds a sum; the returned function settles it at the actual amount. */
  hold: (amount: bigint, now: number) => (spent: bigint) => void
}

export function createBudget({ withinMs }: { withinMs: number }): Budget {
  let entries: { amount: bigint; at: number }[] = []
  return {
    used: (now) => {
      entries = entries.filter(({ at }) => at > now - withinMs)
      return entries.reduce((sum, { amount }) => sum + amount, 0n)
    },
    hold: (amount, now) => {
      const entry = { amount, at: now }
      entries.push(entry)
      return (spent) => {
        entry.amount = spent
      }
    },
  }
}
