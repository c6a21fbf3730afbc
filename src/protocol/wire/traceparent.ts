/** W3C Trace Context, version 00: version, trace, span and flags. Ids of zeros alone are none. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** A client's `traceparent`; null for none, and for what is not one, which the standard says to ignore. */
export const decodeTraceparent = (header: unknown): string | null =>
  typeof header === 'string' && TRACEPARENT.test(header) ? header : null
