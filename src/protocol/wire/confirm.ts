import type { Static } from 'typebox'
import * as Type from 'typebox'
import { safeText } from '../domain/safe-text.ts'
import * as field from './field.ts'
import { createBodyReader } from './reader.ts'
import { described, optional, textOf } from './schemas.ts'

/** A confirmation; a late signature is a live right to trade, and never shown (decision C8). */
export const ConfirmBody = Type.Object({ signature: field.signature })

/** The signatures by which a quote becomes firm: of its order, and of the order at its bid where it is on both sides. */
export const FirmBody = Type.Object({ signature: field.signature, bidSignature: optional(field.signature) })

const MAX_REASON_LENGTH = 500

/** Characters that the audit log keeps, since a stranger writes them. */
const SHOWN_LENGTH = 200

/** A maker's reason to decline, for operators; a decline must not fail for it, so that it is cut and not refused. */
export const DeclineBody = Type.Object({ reason: optional(described(textOf(MAX_REASON_LENGTH), field.reason)) })

const readConfirm = createBodyReader(ConfirmBody)
const readFirm = createBodyReader(FirmBody)
const readDecline = createBodyReader(DeclineBody)

/** The signature of a confirm; whether it is a good one is for the relay to say, after the deadline (decision C8). */
export const decodeConfirm = (body: unknown): string => readConfirm(body).signature

export const encodeConfirm = (signature: string): Static<typeof ConfirmBody> => ({ signature })

/** Signatures of the orders of a quote. */
export type FirmSignatureTexts = {
  signature: string
  /** The one of the order at the bid, where the quote is on both sides. */
  otherSignature?: string
}

export function decodeFirm(body: unknown): FirmSignatureTexts {
  const { signature, bidSignature } = readFirm(body)
  return { signature, ...(bidSignature == null ? {} : { otherSignature: bidSignature }) }
}

export const encodeFirm = ({ signature, otherSignature }: FirmSignatureTexts): Static<typeof FirmBody> => ({
  signature,
  ...(otherSignature === undefined ? {} : { bidSignature: otherSignature }),
})

/** A maker's reason to decline, fit for a line of a terminal; null if it gives none. */
export function decodeDecline(body: unknown): string | null {
  const reason = safeText([...(readDecline(body).reason ?? '')].slice(0, SHOWN_LENGTH).join('')).trim()
  return reason === '' ? null : reason
}
