/** Pauses between attempts: each is double the one before. */
export type Backoff = {
  /** The first, milliseconds. */
  firstMs: number
  /** The longest, milliseconds. */
  mostMs: number
}

/**
 * How long to wait before an attempt, counted from 0: between half of the doubled pause and all of it, so that clients
 * which lost a server together do not come back together. `random` is in [0, 1).
 * @see M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015 ("equal jitter")
 */
export function backoffMs(attempt: number, random: number, { firstMs, mostMs }: Backoff): number {
  const full = Math.min(mostMs, firstMs * 2 ** attempt)
  return Math.round(full / 2 + (random * full) / 2)
}

/**
 * Works, and again after a jittered pause each time that it fails with a fault that is worth another attempt, `retries` times
 * at most. Rejects with the last fault. `sleep` waits milliseconds; what it rejects with ends the attempts.
 */
export async function withRetry<Result>(
  work: () => Promise<Result>,
  options: {
    retries?: number
    backoff: Backoff
    isRetryable: (fault: unknown) => boolean
    random?: () => number
    sleep: (ms: number) => Promise<unknown>
  },
): Promise<Result> {
  const { retries = Number.POSITIVE_INFINITY, backoff, isRetryable, random = Math.random, sleep } = options
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work()
    } catch (fault) {
      if (attempt === retries || !isRetryable(fault)) throw fault
    }
    await sleep(backoffMs(attempt, random(), backoff))
  }
}
