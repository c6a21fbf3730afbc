import type { Static } from 'typebox'
import * as Type from 'typebox'
import { safeText } from '../domain/safe-text.ts'
import * as field from './field.ts'
import { createBodyReader } from './reader.ts'
import { described, optional, textOf } from './schemas.ts'

/** A confirmation; a late signature is a live right to trade, and never shown (decision C8). */
export const ConfirmBody = Type.Object({ signature: field.signature })

const MAX_REASON_LENGTH = 500

/** Characters that the audit log keeps, since a stranger writes them. */
const SHOWN_LENGTH = 200

/** A maker's reason to decline, for operators; a decline must not fail for it, so that it is cut and not refused. */
export const DeclineBody = Type.Object({ reason: optional(described(textOf(MAX_REASON_LENGTH), field.reason)) })

const readConfirm = createBodyReader(ConfirmBody)
const readDecline = createBodyReader(DeclineBody)

/** The signature of a confirm; whether it is a good one is for the relay to say, after the deadline (decision C8). */
export const decodeConfirm = (body: unknown): string => readConfirm(body).signature

export const encodeConfirm = (signature: string): Static<typeof ConfirmBody> => ({ signature })

/** A maker's reason to decline, fit for a line of a terminal; null if it gives none. */
export function decodeDecline(body: unknown): string | null {
  const reason = safeText([...(readDecline(body).reason ?? '')].slice(0, SHOWN_LENGTH).join('')).trim()
  return reason === '' ? null : reason
}
