import type { ContractRefusal } from '../contracts/errors.ts'
import type { ContractValue } from '../contracts/values.ts'
import { ERRORS, type ErrorCode } from '../domain/errors.ts'

/** A code of the documented table, or one that a newer relay made up since. */
export type RelayErrorCode = ErrorCode | (string & {})

/** A relay's refusal. */
export class RelayError extends Error {
  override readonly name = 'RelayError'
  readonly code: RelayErrorCode
  /** The HTTP status; 401, or 403 for a blocked maker, for a socket that was closed with 4001. */
  readonly status: number
  /** Whether the same call can succeed later. */
  readonly retryable: boolean
  /** What to do about it, where the table knows. */
  readonly hint: string | null
  /** When to try again, in milliseconds from the answer; null when the relay did not say. */
  readonly retryAfterMs: number | null
  /** Further fields of the answer, such as `resolutionBps`. */
  readonly data: Readonly<Record<string, unknown>>

  constructor(refusal: {
    code: RelayErrorCode
    status: number
    message?: string
    retryable?: boolean
    hint?: string | null
    retryAfterMs?: number | null
    data?: Readonly<Record<string, unknown>>
  }) {
    const entry = Object.hasOwn(ERRORS, refusal.code) ? tableEntry(refusal.code as ErrorCode) : undefined
    super(refusal.message ?? entry?.message ?? `The relay refused: ${refusal.code}.`)
    this.code = refusal.code
    this.status = refusal.status
    this.retryable = refusal.retryable ?? entry?.retryable ?? (refusal.status >= 500 || refusal.status === 429)
    this.hint = refusal.hint ?? entry?.hint ?? null
    this.retryAfterMs = refusal.retryAfterMs ?? null
    this.data = refusal.data ?? {}
  }
}

/** No answer: the relay is down, the network is, or it fell silent. Whether a call took effect is not known. */
export class RelayUnreachableError extends Error {
  override readonly name = 'RelayUnreachableError'
  readonly retryable = true
  /** The address without its query. */
  readonly url: string
  /** When to try again, in milliseconds; null when nobody said. */
  readonly retryAfterMs: number | null

  constructor(url: string, options: { reason: string; cause?: unknown; retryAfterMs?: number | null }) {
    const address = url.split('?', 1)[0] as string
    super(`The relay at ${address} cannot be reached: ${options.reason}.`, { cause: options.cause })
    this.url = address
    this.retryAfterMs = options.retryAfterMs ?? null
  }
}

/** An order that is not what was agreed. It was not signed, not filled, and nothing was approved for it. */
export class OrderMismatchError extends Error {
  override readonly name = 'OrderMismatchError'
  /** Every fault, as a sentence with its figures. */
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`The order is not what was agreed: ${faults.join('; ')}.`)
    this.faults = faults
  }
}

/** A call that needs what the client was made without. */
export class ClientSetupError extends Error {
  override readonly name = 'ClientSetupError'
}

/**
 * The contracts refuse a call, or would: nothing was sent. `code` is stable; `errorName` is the contract's own name, ''
 * where it gave none.
 */
export class ContractRefusedError extends Error {
  override readonly name = 'ContractRefusedError'
  readonly code: string
  readonly errorName: string
  /** What to do about it, where the table knows. */
  readonly hint: string | null
  /** What the refusal is about, in the contract's own numbers. */
  readonly values: readonly ContractValue[]

  constructor({
    message,
    cause,
    ...refusal
  }: ContractRefusal & { errorName: string; values: readonly ContractValue[]; cause?: unknown }) {
    super(message, cause === undefined ? {} : { cause })
    this.code = refusal.code
    this.errorName = refusal.errorName
    this.hint = refusal.hint
    this.values = refusal.values
  }
}

/** A transaction that was mined and failed. */
export class TransactionRevertedError extends Error {
  override readonly name = 'TransactionRevertedError'
  readonly hash: string

  constructor(hash: string) {
    super(`The transaction ${hash} was mined and reverted.`)
    this.hash = hash
  }
}

/** Whether a connection is worth another try: nothing was reached, or the relay could not serve. */
export function isPassing(error: unknown): error is RelayError | RelayUnreachableError {
  if (error instanceof RelayUnreachableError) return true
  return error instanceof RelayError && (error.status >= 500 || error.status === 429 || error.status === 408)
}

/** Whether a call was lost on its way, so that nobody knows whether it took effect. */
export function isLost(error: unknown): boolean {
  if (error instanceof RelayUnreachableError) return true
  if (!(error instanceof RelayError)) return false
  return error.status === 502 || error.status === 504 || error.code === 'shutting_down'
}

const tableEntry = (code: ErrorCode): { message: string; hint?: string; retryable?: boolean } => ERRORS[code]
