import { linkAbort } from '@rfqctl/lib/abort'

/** Why the time of `runFor` is over; told from every failure by identity. */
const OVER = new Error('the time is over')

/**
 * Runs `work` with a signal that ends it after `ms` (null: never) without that being a failure, and that follows `stop`,
 * which is one. `endIn` gives it another time from then on.
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
