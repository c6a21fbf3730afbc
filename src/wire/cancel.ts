import Type from 'typebox'
import { createBodyReader } from './reader.ts'
import { optional, SecretText } from './schemas.ts'

/** The taker's secret, where it is not in the header. */
export const CancelBody = Type.Object({ takerSecret: optional(SecretText) })

const readCancel = createBodyReader(CancelBody)

/** The taker's secret of a cancel; null when the body has none. */
export const decodeCancel = (body: unknown): string | null => readCancel(body).takerSecret ?? null
