import { RfqctlError } from '@rfqctl/client/errors'
import type { Failure } from './trade-record.ts'

/** A node or a wallet may answer with a page of text. */
const MAX_MESSAGE = 500

export function failureOf(error: unknown): Failure {
  if (error instanceof RfqctlError) {
    const { code, message, hint, retryable } = error
    return { code, message: message.slice(0, MAX_MESSAGE), hint, retryable }
  }
  const { shortMessage, message } = error as { shortMessage?: unknown; message?: unknown }
  const text = [shortMessage, message, String(error)].find((each) => typeof each === 'string' && each !== '')
  return { code: 'fault', message: String(text).slice(0, MAX_MESSAGE), hint: null, retryable: true }
}
