import type { ContractRefusal } from '@rfqctl/protocol/contracts/errors'
import type { ContractValue } from '@rfqctl/protocol/contracts/values'
import { ERRORS, type ErrorCode } from '@rfqctl/protocol/domain/errors'

/** A code of the documented table, or one that a newer relay made up since. */
export type RelayErrorCode = ErrorCode | (string & {})

/** What every error of this library tells; `error instanceof RfqctlError` holds for each of them. */
export class RfqctlError extends Error {
  override readonly name: string = 'RfqctlError'
  /** What went wrong, for programs: a stable snake_case name. */
  readonly code: string
  /** What to do about it; null where there is nothing to do. */
  readonly hint: string | null
  /** Whether the same call can succeed later. */
  readonly retryable: boolean
  /** Where the code is explained: a path in this package, and in its repository. */
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
  /** The row of the page where its name is not the code; null where the page has none. */
  anchor?: string | null
  cause?: unknown
}

const DOCS_PAGE = 'docs/errors.md'

/** A relay's refusal. */
export class RelayError extends RfqctlError {
  override readonly name = 'RelayError'
  /** The code that the relay gave, `http_…` with the status where it gave none, or `unexpected_answer`. */
  declare readonly code: RelayErrorCode
  /** The HTTP status; 401, or 403 for a blocked maker, for a socket that was closed with 4001. */
  readonly status: number
  /** When to try again, in milliseconds from the answer; null when the relay did not say. */
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

/** The code of an answer that is not of the documented shape. */
export const UNEXPECTED_ANSWER = 'unexpected_answer'

/** No answer: the relay is down, the network is, or it fell silent. Whether a call took effect is not known. */
export class RelayUnreachableError extends RfqctlError {
  override readonly name = 'RelayUnreachableError'
  /** The address without its query. */
  readonly url: string
  /** When to try again, in milliseconds; null when it is unknown. */
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
  /** What stood in the way: its owner, its chain, or that it gives no access to the account. */
  declare readonly code: 'wallet_rejected' | 'wallet_wrong_chain' | 'wallet_no_account'

  constructor(message: string, facts: { code: WalletError['code']; hint: string; cause?: unknown }) {
    super(message, facts)
  }
}

/** A payment that cannot be made as it was asked for: nothing was signed for it. */
export class PaymentError extends RfqctlError {
  override readonly name = 'PaymentError'
  /** The way to pay is not there, a relayer asks for too much, or it fills on other contracts. */
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
  /** What the refusal is about, in the contract's own numbers. */
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
  /** Its hash. */
  readonly hash: string

  constructor(hash: string) {
    super(`The transaction ${hash} was mined and reverted.`, { code: 'transaction_reverted' })
    this.hash = hash
  }
}

/** Transactions of which none was mined: the fee was too low to the end, or another transaction took the nonce. */
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

/** Whether a connection is worth another try: nothing was reached, or the relay could not serve. */
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
