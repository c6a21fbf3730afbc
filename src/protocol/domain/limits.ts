/** Numbers of the protocol that several parts must agree on, each written once, here. */

/** Time that a request closed without a trade is remembered, milliseconds: at 50 a second that is 45,000 of them. */
export const CLOSED_MEMORY_MS = 15 * 60_000

/**
 * Time that an ended order is still listed as owed, with the block of its end, milliseconds; no funds that were read earlier are
 * used.
 */
export const ENDED_TOLD_MS = 60_000

/** Most events of a feed that a reader may miss and still resume where it left off (decision M1). */
export const FEED_LENGTH = 10_000

/** Room for the offsets of one epoch of a feed; ids stay below 2^53 for nine million epochs (decision M1). */
export const EPOCH_SIZE = 1_000_000_000

/** Former settlement contracts that a relay shows: more generations than any operator has served. */
export const MAX_FORMER_SETTLEMENTS = 16

/** The longest time that makers whose quotes lost wait to hear of it, milliseconds. */
export const MAX_FEEDBACK_DELAY_MS = 60_000
