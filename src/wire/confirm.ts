import Type, { type Static } from 'typebox'
import { createBodyReader } from './reader.ts'
import { optional, SecretText, textOf } from './schemas.ts'

/** @see spec "POST /v1/mm/quotes/{quoteId}/confirm"; a late signature is a live right to trade, and never shown (ruling C8) */
export const ConfirmBody = Type.Object({ signature: SecretText })

const MAX_REASON_LENGTH = 500

/** Why a maker declines; taken and not looked at (ruling C9). */
export const DeclineBody = Type.Object({ reason: optional(textOf(MAX_REASON_LENGTH)) })

const readConfirm = createBodyReader(ConfirmBody)
const readDecline = createBodyReader(DeclineBody)

/** The signature of a confirm; whether it is a good one is for the relay to say, after the deadline (ruling C8). */
export const decodeConfirm = (body: unknown): string => readConfirm(body).signature

/** The body of a confirm. */
export const encodeConfirm = (signature: string): Static<typeof ConfirmBody> => ({ signature })

/** Refuses a body that is none of a decline. */
export const decodeDecline = (body: unknown): void => void readDecline(body)
