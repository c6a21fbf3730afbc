import { expect } from 'vitest'

/** An ISO 8601 moment. */
export const isoTime = () => expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)

/** A UUID of version 4 (decision Q1). */
export const uuid = () => expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)

/** An unsigned integer as decimal text. */
export const decimalText = () => expect.stringMatching(/^(0|[1-9]\d*)$/)

/** 32 bytes as hex. */
export const bytes32 = () => expect.stringMatching(/^0x[0-9a-f]{64}$/)

/** A 65-byte signature as hex, v being 27 or 28. */
export const signatureText = () => expect.stringMatching(/^0x[0-9a-f]{128}1[bc]$/)

/** Any failure in the documented envelope with this code; `error` is a sentence, not the code (decision E1). */
export const failure = (code: string) => ({ success: false, code, error: expect.stringMatching(/\w+ \w+/) })

/** One of the three failures whose `error` the specification names. */
export const namedFailure = (code: string) => ({
  success: false,
  code,
  error: code,
  detail: expect.stringMatching(/\w+ \w+/),
})
