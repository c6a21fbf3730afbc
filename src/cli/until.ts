import { linkAbort } from '../client/abort.ts'

/** Why the time of `until` is over; told from every failure by identity. */
const OVER = new Error('the time is over')

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
  const link = linkAbort(stop)
  const timer = setTimeout(() => link.abort(OVER), ms)
  try {
    await work(link.signal)
  } catch (error) {
    if (error !== OVER) throw error
  } finally {
    clearTimeout(timer)
    link.release()
  }
}
