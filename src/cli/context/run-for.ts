import { linkAbort } from '@rfqctl/lib/abort'

/** Marks the timeout of `runFor`; compared by identity. */
const OVER = new Error('the time is over')

/**
 * Runs `work` with a signal that ends it after `ms` (null: never) without an error, and that follows `stop`, which is
 * an error. `endIn` restarts the timer.
 */
export async function runFor(
  ms: number | null,
  stop: AbortSignal,
  work: (signal: AbortSignal, endIn: (ms: number) => void) => Promise<void>,
): Promise<void> {
  const link = linkAbort(stop)
  let timer: NodeJS.Timeout | undefined
  const endIn = (time: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => link.abort(OVER), time)
  }
  if (ms !== null) endIn(ms)
  try {
    await work(link.signal, endIn)
  } catch (error) {
    if (error !== OVER) throw error
  } finally {
    clearTimeout(timer)
    link.release()
  }
}
