/** What was opened, to be closed in the reverse order. */
export type Closers = {
  add: (close: () => Promise<void> | void) => void
  /** Closes everything, also when some of it fails; rejects with the first fault. Closing twice closes once. */
  closeAll: () => Promise<void>
}

/** Nothing opened yet. */
export function createClosers(): Closers {
  const closers: (() => Promise<void> | void)[] = []

  async function close(): Promise<void> {
    const faults: unknown[] = []
    for (let next = closers.pop(); next !== undefined; next = closers.pop()) {
      try {
        await next()
      } catch (fault) {
        faults.push(fault)
      }
    }
    if (faults.length > 0) throw faults[0]
  }

  let closing: Promise<void> | null = null
  return {
    add: (closer) => void closers.push(closer),
    closeAll: () => {
      closing ??= close()
      return closing
    },
  }
}
