import type { ContractRefusal } from '@rfqctl/protocol/contracts/errors'
import type { ContractValue } from '@rfqctl/protocol/contracts/values'
import { ERRORS, type ErrorCode } from '@rfqctl/protocol/domain/errors'

/** Code of the table, or one of a newer relay. */
export type RelayErrorCode = ErrorCode | (string & {})

/** Base of every error of this library: `error instanceof RfqctlError` holds for each. */
export class RfqctlError extends Error {
  override readonly name: string = 'RfqctlError'
  /** Stable snake_case name of the fault, for programs. */
  readonly code: string
  /** Remedy, as a sentence; null where there is none. */
  readonly hint: string | null
  /** Whether the same call can succeed later. */
  readonly retryable: boolean
  /** Page that explains the code: a path in this package, and in its repository. */
  readonly docsPath: string

  constructor(message: string, { code, hint = null, retryable = false, anchor = code, cause }: ErrorFacts) {
    super(message, cause === undefined ? {} : { cause })
    this.code = code
    this.hint = hint
    this.retryable = retryable
    this.docsPath = anchor === null ? DOCS_PAGE : `${DOCS_PAGE}#${anchor}`
  }
}

type ErrorFacts = {
  code: string
  hint?: string | null
  retryable?: boolean
  /** Row of the page, where its name differs from the code; null where the page has none. */
  anchor?: string | null
  cause?: unknown
}

const DOCS_PAGE = 'docs/reference/errors.md'

/** A relay's refusal. */
export class RelayError extends RfqctlError {
  override readonly name = 'RelayError'
  /** The code that the relay gave, `http_…` with the status where it gave none, or `unexpected_answer`. */
  declare readonly code: RelayErrorCode
  /** The HTTP status; 401, or 403 for a blocked maker, for a socket that was closed with 4001. */
  readonly status: number
  /** Milliseconds to wait from the answer before a retry; null when the relay did not say. */
  readonly retryAfterMs: number | null
  /** Further fields of the answer, such as `resolutionBps`. */
  readonly data: Readonly<Record<string, unknown>>

  constructor({ code, status, message, retryable, hint, retryAfterMs = null, data = {} }: Refusal) {
    const entry = Object.hasOwn(ERRORS, code) ? tableEntry(code as ErrorCode) : undefined
    super(message ?? entry?.message ?? `The relay refused: ${code}.`, {
      code,
      hint: hint ?? entry?.hint ?? null,
      retryable: retryable ?? entry?.retryable ?? (status >= 500 || status === 429),
      anchor: entry !== undefined || code === UNEXPECTED_ANSWER ? code : /^http_\d+$/.test(code) ? 'http_status' : null,
    })
    this.status = status
    this.retryAfterMs = retryAfterMs
    this.data = data
  }
}

type Refusal = {
  code: RelayErrorCode
  status: number
  message?: string
  retryable?: boolean
  hint?: string | null
  retryAfterMs?: number | null
  data?: Readonly<Record<string, unknown>>
}

/** Code of an answer that does not have the documented shape. */
export const UNEXPECTED_ANSWER = 'unexpected_answer'

/** No answer: the relay is down, the network is, or it fell silent. Whether a call took effect is not known. */
export class RelayUnreachableError extends RfqctlError {
  override readonly name = 'RelayUnreachableError'
  /** The address without its query. */
  readonly url: string
  /** Milliseconds to wait before a retry; null when unknown. */
  readonly retryAfterMs: number | null

  constructor(
    url: string,
    options: { reason: string; cause?: unknown; retryAfterMs?: number | null; server?: 'relay' | 'relayer' },
  ) {
    const address = url.split('?', 1)[0] as string
    const { reason, cause, retryAfterMs = null, server = 'relay' } = options
    super(`The ${server} at ${address} cannot be reached: ${reason}.`, { code: 'unreachable', retryable: true, cause })
    this.url = address
    this.retryAfterMs = retryAfterMs
  }
}

/** An order that is not what was agreed. It was not signed, not filled, and nothing was approved for it. */
export class OrderMismatchError extends RfqctlError {
  override readonly name = 'OrderMismatchError'
  /** Every fault, as a sentence with its figures. */
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`The order is not what was agreed: ${faults.join('; ')}.`, { code: 'order_mismatch' })
    this.faults = faults
  }
}

/** A call that needs what the client was made without. */
export class ClientSetupError extends RfqctlError {
  override readonly name = 'ClientSetupError'

  constructor(message: string) {
    super(message, { code: 'client_setup' })
  }
}

/** The wallet that was asked to sign or to send did neither. */
export class WalletError extends RfqctlError {
  override readonly name = 'WalletError'
  /** Cause: a refusal by its owner, another chain, or no access to the account. */
  declare readonly code: 'wallet_rejected' | 'wallet_wrong_chain' | 'wallet_no_account'

  constructor(message: string, facts: { code: WalletError['code']; hint: string; cause?: unknown }) {
    super(message, facts)
  }
}

/** A payment that cannot be made as it was asked for: nothing was signed for it. */
export class PaymentError extends RfqctlError {
  override readonly name = 'PaymentError'
  /** Cause: the way to pay is not available, a relayer asks for too much, or it fills on other contracts. */
  declare readonly code: 'payment_unavailable' | 'fee_above_limit' | 'relayer_mismatch'

  constructor(message: string, facts: { code: PaymentError['code']; hint: string }) {
    super(message, facts)
  }
}

/** The contracts refuse a call, or would: nothing was sent. */
export class ContractRefusedError extends RfqctlError {
  override readonly name = 'ContractRefusedError'
  /** The contract's own name of the error, '' where it gave none. */
  readonly errorName: string
  /** Arguments of the contract's error, in its own numbers. */
  readonly values: readonly ContractValue[]

  constructor({
    message,
    errorName,
    values,
    ...facts
  }: ContractRefusal & { errorName: string; values: readonly ContractValue[]; cause?: unknown }) {
    super(message, facts)
    this.errorName = errorName
    this.values = values
  }
}

/** A transaction that was mined and failed. */
export class TransactionRevertedError extends RfqctlError {
  override readonly name = 'TransactionRevertedError'
  readonly hash: string

  constructor(hash: string) {
    super(`The transaction ${hash} was mined and reverted.`, { code: 'transaction_reverted' })
    this.hash = hash
  }
}

/** Transactions that were never mined: the fee stayed too low, or another transaction took the nonce. */
export class TransactionUnminedError extends RfqctlError {
  override readonly name = 'TransactionUnminedError'
  /** Their hashes, in the order in which they were sent. */
  readonly hashes: readonly string[]

  constructor(hashes: readonly string[]) {
    const message = hashes.length === 0 ? 'Another transaction used the nonce.' : `Not mined: ${hashes.join(', ')}.`
    super(message, { code: 'transaction_unmined' })
    this.hashes = hashes
  }
}

/** Whether a connection is worth another try: the relay was not reached, or could not serve. */
export function isPassing(error: unknown): error is RelayError | RelayUnreachableError {
  if (error instanceof RelayUnreachableError) return true
  return error instanceof RelayError && (error.status >= 500 || error.status === 429 || error.status === 408)
}

/** Whether a call was lost on its way, so that it is unknown whether it took effect. */
export function isLost(error: unknown): boolean {
  if (error instanceof RelayUnreachableError) return true
  if (!(error instanceof RelayError)) return false
  return error.status === 502 || error.status === 504 || error.code === 'shutting_down'
}

const tableEntry = (code: ErrorCode): { message: string; hint?: string; retryable?: boolean } => ERRORS[code]
