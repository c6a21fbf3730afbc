import type { Context } from './context.ts'

/** Counts, over all commits, the waits that a maker without a record let time out. */
export type Patience = ReturnType<typeof createPatience>

/** Misses at once, and milliseconds until one more is allowed. */
const MOST_MISSED = 20
const AGAIN_MS = 30_000

/**
 * Bounds the total cost to takers of makers without a record. Two misses demote a maker; but accounts are free, and
 * fresh ones for each commit would make each commit wait for two of them.
 */
export function createPatience({ clock }: Pick<Context, 'clock'>) {
  /** Full again at this time. */
  let wholeAt = 0
  return {
    /** Makers without a record that may still be asked before one with a record. */
    left: (): number => Math.floor(MOST_MISSED - Math.max(0, wholeAt - clock.now()) / AGAIN_MS),
    noteMissed: (): void => {
      wholeAt = Math.max(wholeAt, clock.now()) + AGAIN_MS
    },
  }
}
