/** Pauses between attempts: each is double the one before. */
export type Backoff = {
  /** The first, milliseconds. */
  firstMs: number
  /** The longest, milliseconds. */
  mostMs: number
}

/** Short enough that a relay which comes back is found again within 2 s, long enough not to hammer one that does not. */
export const BACKOFF: Backoff = { firstMs: 100, mostMs: 1_600 }

/**
 * How long to wait before an attempt, counted from 0: between half of the doubled pause and all of it, so that clients
 * which lost the relay together do not come back together. `random` is in [0, 1).
 * @see M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015 ("equal jitter")
 */
export function backoffMs(attempt: number, random: number, { firstMs, mostMs }: Backoff = BACKOFF): number {
  const full = Math.min(mostMs, firstMs * 2 ** attempt)
  return Math.round(full / 2 + (random * full) / 2)
}
