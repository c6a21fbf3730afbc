import Type, { type Static } from 'typebox'
import { safeText } from '../domain/safe-text.ts'
import { createBodyReader } from './reader.ts'
import { optional, SignatureText, textOf } from './schemas.ts'

/** A confirmation; a late signature is a live right to trade, and never shown (decision C8). */
export const ConfirmBody = Type.Object({ signature: SignatureText })

const MAX_REASON_LENGTH = 500

/** How much of it is kept: what a stranger writes into the audit log. */
const SHOWN_LENGTH = 200

/** Why a maker declines, for operators; what comes before a decline must not fail for it, so that it is cut and not refused. */
export const DeclineBody = Type.Object({ reason: optional(textOf(MAX_REASON_LENGTH)) })

const readConfirm = createBodyReader(ConfirmBody)
const readDecline = createBodyReader(DeclineBody)

/** The signature of a confirm; whether it is a good one is for the relay to say, after the deadline (decision C8). */
export const decodeConfirm = (body: unknown): string => readConfirm(body).signature

/** The body of a confirm. */
export const encodeConfirm = (signature: string): Static<typeof ConfirmBody> => ({ signature })

/** Why a maker declines, fit for a line of a terminal; null where it says nothing. */
export function decodeDecline(body: unknown): string | null {
  const reason = safeText([...(readDecline(body).reason ?? '')].slice(0, SHOWN_LENGTH).join('')).trim()
  return reason === '' ? null : reason
}
