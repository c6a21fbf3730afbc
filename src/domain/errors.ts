/** What one code says: the sentence for people, what to do about it, and whether trying again can help. */
type ErrorEntry = { message: string; hint?: string; retryable?: boolean }

/**
 * Every refusal the service can give (ruling E1). The server adds the HTTP status and the CLI the exit code, each
 * `satisfies Record<ErrorCode, number>`.
 */
export const ERRORS = {
  invalid_request: { message: 'The request is not of the documented shape.' },
  invalid_json: { message: 'The body is not JSON.' },
  unsupported_media_type: { message: 'Only application/json bodies are taken.' },
  payload_too_large: { message: 'The body is larger than 64 KiB.' },
  not_found: { message: 'There is nothing at this address.' },
  method_not_allowed: { message: 'This address does not take that method.' },
  request_timeout: { message: 'The request did not arrive in time.', retryable: true },
  too_many_connections: { message: 'Too many connections are open.', retryable: true },
  shutting_down: { message: 'The relay is shutting down.', retryable: true },
  not_ready: { message: 'The relay is not ready to serve.', retryable: true },
  internal_error: { message: 'The relay failed. The fault was recorded.', retryable: true },

  invalid_api_key: { message: 'The API key is missing or not valid.', hint: 'Send the key in the header X-API-Key.' },
  invalid_access_token: { message: 'The access token is missing or not valid.' },
  identity_not_configured: { message: 'This relay has no identity provider.' },
  identity_unavailable: { message: 'The identity provider cannot be reached.', retryable: true },
  api_key_not_found: { message: 'The API key was not found.' },
  operator_token_required: { message: 'The operator token is missing or not valid.' },
  taker_secret_required: { message: 'This needs the taker secret that opening the request returned.' },
  origin_not_allowed: { message: 'A relay in open mode takes sockets from web pages of this machine only.' },

  request_not_found: { message: 'The quote request was not found: it is unknown or expired.' },
  request_expired: { message: 'The quote request was not found: it has expired.' },
  request_closed: { message: 'The quote request is closed.' },
  quote_not_found: { message: 'The quote was not found.' },
  quote_locked: { message: 'The quote is out for signature and cannot change.', retryable: true },
  option_expired: { message: 'The option expires in the past.' },

  side_mismatch: { message: "The quote's side must equal the requested side." },
  size_too_small: { message: 'The size must be at least 50% of the requested size, and at least 1.' },
  price_out_of_range: { message: 'The price must lie between 0 and 1, ends excluded.' },
  price_above_max_payoff: { message: 'The price is above the most that the option can pay.' },
  fill_below_one: { message: 'At this price the budget does not buy one whole option.' },
  maker_insufficient_balance: { message: 'The maker wallet does not hold enough stablecoin.' },
  maker_insufficient_allowance: { message: 'The maker wallet has not approved enough stablecoin.' },

  wallet_mismatch: { message: 'The request names another taker wallet.' },
  commit_in_progress: { message: 'Another commit of this request is running.', retryable: true },
  already_committed: { message: 'The request is already committed.' },
  no_valid_quotes: { message: 'There is no valid quote to commit to.', retryable: true },
  no_acceptable_quote: { message: 'No quote keeps within the protections of this commit.', retryable: true },
  quote_changed: { message: 'The expected quote is not the best one any more.', retryable: true },
  series_not_registered: { message: 'The option series is not registered on chain.' },
  series_halted: { message: 'New positions of this option series are halted.' },
  no_maker_confirmed: { message: 'No maker confirmed in time; the request stays open.', retryable: true },
  no_pending_acceptance: { message: 'No acceptance of this quote is waiting for a signature.' },
  invalid_signature: { message: 'The signature does not recover to the maker of the order.' },

  series_not_found: { message: 'The option series was not found.' },
  series_not_expired: { message: 'The option series has not expired yet.', retryable: true },
  series_already_settled: { message: 'The option series is already settled.' },
  already_resolved: { message: 'The series is already resolved.' },
  manual_review: { message: 'The series has no usable price and waits for manual review.' },
  price_source_unavailable: { message: 'The price source cannot be reached.', retryable: true },
  resolution_pending: { message: 'The resolution is not known yet.', retryable: true },
  signer_not_configured: { message: 'This relay has no resolution signer.' },
  settlement_unauthorized: { message: 'Preparing a settlement needs the settlement key.' },

  faucet_cooldown: { message: 'This wallet was served within the cooldown.', retryable: true },
  faucet_not_configured: { message: 'This relay has no faucet.' },
  faucet_unavailable: { message: 'The faucet could not pay.', retryable: true },

  chain_unavailable: { message: 'The chain cannot be read.', retryable: true },
  store_unavailable: { message: 'The store cannot be written.', retryable: true },
} as const satisfies Record<string, ErrorEntry>

/** A stable snake_case code of the one table. */
export type ErrorCode = keyof typeof ERRORS

/** A refusal at the door: a code of the table, with a sentence of its own, figures and a cause where they help. */
export class RfqError extends Error {
  override readonly name = 'RfqError'
  readonly code: ErrorCode
  /** Further fields of the answer, for instance `resolutionBps` (ruling S1). */
  readonly data: Readonly<Record<string, unknown>>

  constructor(code: ErrorCode, options: { detail?: string; data?: Record<string, unknown>; cause?: unknown } = {}) {
    super(options.detail ?? ERRORS[code].message, options.cause === undefined ? {} : { cause: options.cause })
    this.code = code
    this.data = options.data ?? {}
  }
}

/** What the table says of a code. */
export const errorEntry = (code: ErrorCode): ErrorEntry => ERRORS[code]
