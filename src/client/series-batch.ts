/** Nodes bound what a call without a contract of its own returns as they bound the code of a contract, bytes. */
const MOST_RETURNED = 24_576

/** The twelve words of a series, with where they are, their length, whether the call succeeded and its place in the list, bytes. */
const RETURNED_EACH = 32 * (12 + 4)

/** The place of the list and its length, bytes. */
const RETURNED_ONCE = 64

/** The selector and the series of a call, bytes. */
const GIVEN_EACH = 4 + 32

/** Bytes of call data in one bundle of calls of `getSeries`: what a node returns of 47 series, and refuses of 48. */
export const SERIES_BATCH_BYTES: number = Math.floor((MOST_RETURNED - RETURNED_ONCE) / RETURNED_EACH) * GIVEN_EACH
