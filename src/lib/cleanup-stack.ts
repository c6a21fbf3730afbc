export type CleanupStack = ReturnType<typeof createCleanupStack>

/** Undo steps of a start, run in reverse order: the part of `AsyncDisposableStack` that we need. */
export function createCleanupStack() {
  const deferred: (() => Promise<void> | void)[] = []

  async function unwind(): Promise<void> {
    const faults: unknown[] = []
    for (let next = deferred.pop(); next !== undefined; next = deferred.pop()) {
      try {
        await next()
      } catch (fault) {
        faults.push(fault)
      }
    }
    if (faults.length > 0) throw faults[0]
  }

  let running: Promise<void> | null = null
  return {
    defer: (cleanup: () => Promise<void> | void): void => void deferred.push(cleanup),
    /** Runs all steps even if some fail, then rejects with the first fault. A second call waits for the first. */
    run: (): Promise<void> => {
      running ??= unwind()
      return running
    },
  }
}
