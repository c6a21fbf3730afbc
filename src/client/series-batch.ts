/** Nodes limit the result of a call without a contract of its own to the size of a contract's code, bytes. */
const MOST_RETURNED = 24_576

/** Fourteen words of a series, plus their offset, their length, the success of the call and its place in the list, bytes. */
const RETURNED_EACH = 32 * (14 + 4)

/** The place of the list and its length, bytes. */
const RETURNED_ONCE = 64

/** The selector and the series of a call, bytes. */
const GIVEN_EACH = 4 + 32

/** Bytes of call data in one bundle of calls of `getSeries`: a node answers for 42 series, and refuses 43. */
export const SERIES_BATCH_BYTES: number = Math.floor((MOST_RETURNED - RETURNED_ONCE) / RETURNED_EACH) * GIVEN_EACH
