/**
 * Runs `work` with a signal that ends it after `ms` (null: never) without that being a failure, and that follows `stop`,
 * which is one.
 */
export async function until(
  ms: number | null,
  stop: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  if (ms === null) return work(stop)
  const over = new AbortController()
  const follow = () => over.abort(stop.reason)
  stop.addEventListener('abort', follow, { once: true })
  const timer = setTimeout(() => over.abort(OVER), ms)
  try {
    await work(over.signal)
  } catch (error) {
    if (error !== OVER) throw error
  } finally {
    clearTimeout(timer)
    stop.removeEventListener('abort', follow)
  }
}

/** Why the time of `until` is over; told from every failure by identity. */
const OVER = new Error('the time is over')
