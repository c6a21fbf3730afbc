import type { Context } from './context.ts'

/** How long commits have waited in vain for makers that have nothing on record, all of them together. */
export type Patience = {
  /** How many more of them may be asked before a maker that has a record. */
  left: () => number
  /** One of them was waited for and has not signed. */
  noteMissed: () => void
}

/** How many may miss at once, and how long it takes until one more may, in milliseconds. */
const MOST_MISSED = 20
const AGAIN_MS = 30_000

/**
 * Bounds what makers without a record can cost takers together. Whoever misses twice is demoted; but accounts cost nothing, and fresh
 * ones for each commit would have each commit wait for two of them.
 */
export function createPatience({ clock }: Pick<Context, 'clock'>): Patience {
  /** When all of it is back. */
  let wholeAt = 0
  return {
    left: () => Math.floor(MOST_MISSED - Math.max(0, wholeAt - clock.now()) / AGAIN_MS),
    noteMissed: () => {
      wholeAt = Math.max(wholeAt, clock.now()) + AGAIN_MS
    },
  }
}
