/** What of the protocol several parts must agree on: each number is written here once, and handed to whoever holds to it. */

/** How long a request that closed without a trade is remembered, milliseconds: at 50 a second that is 45,000 of them. */
export const CLOSED_MEMORY_MS = 15 * 60_000

/** How long an order that has ended is still listed as owed, with the block of its end: no older funds are judged by. Milliseconds. */
export const ENDED_TOLD_MS = 60_000

/** How many events of a feed may be missed by who still goes on where it left off (decision M1). */
export const FEED_LENGTH = 10_000

/** Room for the offsets of one epoch of a feed; ids stay below 2^53 for nine million epochs (decision M1). */
export const EPOCH_SIZE = 1_000_000_000
