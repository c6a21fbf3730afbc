/**
 * Runs one at a time. Who calls during a run gets the next one, together with all others that wait, because the running
 * one may have read past what the caller wants to see.
 */
export function coalesce(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null
  let next: Promise<void> | null = null

  function start(): Promise<void> {
    running = run().finally(() => {
      running = null
    })
    return running
  }

  return () => {
    if (running === null) return start()
    next ??= running
      .catch(() => {})
      .then(() => {
        next = null
        return start()
      })
    return next
  }
}
