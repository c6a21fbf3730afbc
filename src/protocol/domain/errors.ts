/** Entry of one code: the sentence for people, what to do about it, and whether trying again can help. */
type ErrorEntry = { message: string; hint?: string; retryable?: boolean }

/**
 * Every refusal the service can give. The server adds the HTTP status and the CLI the exit code, each
 * `satisfies Record<ErrorCode, number>`.
 */
export const ERRORS = {
  invalid_request: { message: 'The request does not match the schema.' },
  invalid_json: { message: 'The body is not JSON.' },
  unsupported_media_type: {
    message: 'Only application/json bodies are accepted.',
    hint: 'Send Content-Type: application/json.',
  },
  payload_too_large: { message: 'The body is larger than 64 KiB.' },
  not_found: { message: 'This path does not exist.' },
  method_not_allowed: { message: 'This path does not accept that method.' },
  request_timeout: { message: 'The request did not arrive in time.', retryable: true },
  too_many_connections: {
    message: 'Too many connections are open.',
    hint: 'Close a connection that is not needed, or wait Retry-After seconds.',
    retryable: true,
  },
  too_many_requests: {
    message: 'Too many requests come from this address.',
    hint: 'Try again after Retry-After seconds.',
    retryable: true,
  },
  overloaded: {
    message: 'The relay has no room for more.',
    hint: 'Try again after Retry-After seconds.',
    retryable: true,
  },
  shutting_down: { message: 'The relay is shutting down.', hint: 'Connect again in a moment.', retryable: true },
  not_ready: { message: 'The relay is not ready to serve.', retryable: true },
  internal_error: { message: 'The relay failed. The fault was logged.', retryable: true },

  invalid_api_key: { message: 'The API key is missing or not valid.', hint: 'Send the key in the header X-API-Key.' },
  maker_blocked: {
    message: 'The operator of this relay has blocked the maker.',
    hint: 'Ask the operator. The keys work again when the block is lifted.',
  },
  maker_suspended: {
    message: 'The maker is suspended, because it did not keep to its quotes.',
    hint: 'Quote again at `until`. `because` names the quotes that it is for.',
  },
  invalid_access_token: {
    message: 'The access token is missing or not valid.',
    hint: 'Sign in again, and send the token as Authorization: Bearer.',
  },
  identity_not_configured: { message: 'This relay has no identity provider.' },
  identity_unavailable: { message: 'The identity provider cannot be reached.', retryable: true },
  api_key_not_found: { message: 'The API key was not found.' },
  too_many_api_keys: {
    message: 'This user has reached the limit of active API keys.',
    hint: 'Revoke an unused key: DELETE /v1/user/api-keys/{id}.',
  },
  maker_id_taken: {
    message: 'The makerId is not free.',
    hint: 'Choose another one, or none: the account has one already.',
  },
  maker_id_settled: {
    message: 'The makerId of this account is settled, since it has had an API key.',
    hint: 'Leave makerId out: GET /v1/user/profile says which it is.',
  },
  operator_token_required: {
    message: 'The operator token is missing or not valid.',
    hint: 'Set OPERATOR_TOKEN, or send it as Authorization: Bearer. serve keeps a generated one in its data directory.',
  },
  taker_secret_required: {
    message: 'This needs the taker secret that opening the request returned.',
    hint: 'Send takerSecret, which opening the request returned, in the header X-Taker-Secret.',
  },
  origin_not_allowed: { message: 'A relay in open mode accepts makers from web pages of this machine only.' },

  request_not_found: { message: 'The quote request was not found: it is unknown or expired.' },
  request_expired: { message: 'The quote request was not found: it has expired.', hint: 'Open a new quote request.' },
  request_closed: { message: 'The quote request is closed.', hint: 'Open a new quote request.' },
  transcript_not_ready: {
    message: 'The request is open, or its last entries are not in the log yet.',
    hint: 'Ask again some seconds after the request has ended.',
    retryable: true,
  },
  quote_not_found: { message: 'The quote was not found.' },
  quote_locked: {
    message: 'The quote is out for signature and cannot change.',
    hint: 'Confirm or decline it, or wait for the deadline.',
    retryable: true,
  },
  protection_tripped: {
    message: "The maker's protections have tripped.",
    hint: 'POST /v1/mm/protections/reset, or wait until the freeze is over. The figures say which window was full.',
  },
  outside_protections: {
    message: "The quote is outside the maker's own protections.",
    hint: 'Quote within them, or change them: PUT /v1/mm/protections.',
  },
  invalid_package: {
    message: 'The legs are not a package.',
    hint: 'Give 2 to 4 different options, each a whole number of times from -4 to 4, without a common divisor.',
  },
  client_request_id_reused: {
    message: 'A request with other terms was opened with this clientRequestId.',
    hint: 'Give each request a random UUID of its own, and repeat a call with the terms that it had.',
  },
  option_expired: {
    message: 'The expiry of the option is in the past.',
    hint: 'Give expiryMs in milliseconds, in the future.',
  },

  side_mismatch: {
    message: "The quote's side must equal the requested side.",
    hint: "Quote params.trade.side, which is the taker's side.",
  },
  size_too_small: { message: 'The size must be at least 50% of the requested size, and at least 1.' },
  price_out_of_range: {
    message: 'The price must be above 0 and below 1.',
    hint: 'A price is in dollars per option: 0.42, not 42.',
  },
  price_above_max_payoff: {
    message: 'The price is above the most that the option can pay.',
    hint: 'A call pays at most 1 - K, a put at most K, K being strikeBps / 10000.',
  },
  fill_below_one: { message: 'At this price the budget does not buy one whole option.' },
  maker_insufficient_balance: {
    message: 'The maker wallet does not hold enough stablecoin.',
    hint: 'Fund the wallet, or quote a smaller size.',
  },
  maker_insufficient_allowance: {
    message: 'The maker wallet has not approved enough stablecoin.',
    hint: 'Approve the spender named in the error.',
  },

  wallet_mismatch: {
    message: 'The request names another taker wallet.',
    hint: 'Commit with the wallet that the request names.',
  },
  proof_required: {
    message: "The commit does not show that the wallet is its taker's.",
    hint: 'Send `proof`: the signature of the wallet over the typed data Commit. rfqctl/client sends it for a client that can sign.',
  },
  commit_in_progress: {
    message: 'Another commit of this request is running.',
    hint: 'Repeat the commit with the same wallet and protections to join it, or wait until it ends.',
    retryable: true,
  },
  position_too_small: {
    message: 'The wallet holds, or has written, fewer options than this trade is to reduce.',
    hint: 'Trade fewer options, or approve those that the wallet holds to the settlement contract.',
  },
  too_many_unfilled_orders: {
    message: 'The taker wallet has too many unfilled signed orders of this maker.',
    hint: 'Fill them, or wait Retry-After seconds until one expires.',
    retryable: true,
  },
  already_committed: { message: 'The request is already committed.' },
  no_valid_quotes: {
    message: 'There is no valid quote to commit to.',
    hint: 'Wait until the stream shows a quote.',
    retryable: true,
  },
  no_acceptable_quote: {
    message: 'No quote keeps within the protections of this commit.',
    hint: 'Loosen limitPrice or minContracts, or wait for a better quote.',
    retryable: true,
  },
  quote_changed: {
    message: 'The expected quote is no longer the best one.',
    hint: 'Check the best quote again.',
    retryable: true,
  },
  series_not_registered: {
    message: 'The option series is not registered on chain.',
    hint: 'Choose a series from GET /v1/series.',
  },
  amount_too_large: {
    message: 'The series cannot hold that many options.',
    hint: 'Trade fewer, or wait until others have closed.',
  },
  series_halted: { message: 'New positions in this option series are halted.' },
  no_maker_confirmed: {
    message: 'No maker confirmed in time; the request stays open.',
    hint: 'Commit again: the makers are asked again.',
    retryable: true,
  },
  no_pending_acceptance: {
    message: 'No acceptance of this quote is waiting for a signature.',
    hint: 'Confirm before confirmationDeadline, by the quoteId of quote:accepted.',
  },
  invalid_signature: {
    message: 'The signature is not one of the maker of the order.',
    hint: 'Sign the order of quote:accepted under its domain and types: with the key of order.maker, as its contract takes it (ERC-1271), or with a key that it has authorized on chain beyond validUntil. The proof of a commit is signed by its wallet in the same ways.',
  },

  series_not_found: { message: 'The option series was not found.' },
  series_not_expired: {
    message: 'The option series has not expired yet.',
    hint: 'Wait until the time of the chain has passed the expiry.',
    retryable: true,
  },
  series_already_settled: { message: 'The option series is already settled.' },
  price_vetoed: {
    message: 'The price of the option series was taken back on chain, which accepts no more attestations for it.',
    hint: "The owner of the core must propose a price, or the market's own outcome decides a month after expiry.",
  },
  already_resolved: { message: 'The series is already resolved.' },
  manual_review: { message: 'The series has no usable price and waits for manual review.' },
  price_source_unavailable: { message: 'The price source cannot be reached.', retryable: true },
  resolution_pending: { message: 'The resolution is not known yet.', retryable: true },
  signer_not_configured: { message: 'This relay has no resolution signer.' },
  signer_not_in_office: {
    message: 'The core does not accept the attestations of this relay.',
    hint: "The operator must give the relay the key of the active signer, or have the relay's own key appointed. The resolution stays as it is.",
  },
  signer_unavailable: {
    message: 'The process that signs resolutions does not answer.',
    hint: 'The operator must start it: rfqctl signer serve. The resolution stays as it is.',
    retryable: true,
  },
  signer_refused: {
    message: 'The process that signs resolutions refused this one.',
    hint: 'The operator must find out why: rfqctl signer serve logs each refusal. The resolution stays as it is.',
  },
  settlement_unauthorized: {
    message: 'Preparing a settlement needs the settlement key.',
    hint: 'Send it as Authorization: Bearer.',
  },

  faucet_cooldown: {
    message: 'This wallet has used the faucet within the cooldown.',
    hint: 'Try again after Retry-After seconds.',
    retryable: true,
  },
  faucet_exhausted: {
    message: 'The faucet has reached its limit for this hour.',
    hint: 'Try again after Retry-After seconds.',
    retryable: true,
  },
  faucet_not_configured: { message: 'This relay has no faucet.' },
  faucet_unavailable: { message: 'The faucet could not pay.', retryable: true },

  relayer_unavailable: {
    message: 'The relayer takes no fills now.',
    hint: 'Fill the order from your own wallet, or try again: GET /v1/relayer says when it takes fills.',
    retryable: true,
  },
  authorization_mismatch: {
    message: 'The authorization is not for this order and this relayer.',
    hint: 'Sign the hash of the order that is sent, and the feeRecipient of GET /v1/relayer.',
  },
  fee_too_low: {
    message: 'The authorized fee is below the fee of this relayer.',
    hint: 'Sign a maxFee of at least the fee of GET /v1/relayer.',
  },
  fill_too_late: {
    message: 'The order, the authorization or the payment expires before the fill can be mined.',
    hint: 'Sign with a later deadline, or commit again.',
  },
  fill_refused: {
    message: 'The settlement contract would refuse the fill.',
    hint: 'Read `reason`: docs/reference/errors.md has its code under the contracts.',
  },
  fill_too_expensive: {
    message: 'The fill takes more gas than this relayer pays for.',
    hint: 'Fill the order from your own wallet.',
  },
  fill_in_progress: {
    message: 'Another submission of this order is on its way.',
    hint: 'Read GET /v1/fills/{orderHash} until it has ended.',
    retryable: true,
  },
  fill_not_found: {
    message: 'The relayer knows no fill of this order.',
    hint: 'Send the fill again: the chain fills an order once.',
  },

  chain_unavailable: {
    message: 'The chain cannot be read.',
    hint: 'Try again when /readyz says that the chain is up.',
    retryable: true,
  },
  store_unavailable: {
    message: 'The store cannot be written.',
    hint: 'Try again when /readyz says that the store is up.',
    retryable: true,
  },
} as const satisfies Record<string, ErrorEntry>

/** A stable snake_case code of the one table. */
export type ErrorCode = keyof typeof ERRORS

/** A refusal: a code of the table, with a sentence of its own, figures and a cause where they help. */
export class RfqError extends Error {
  override readonly name = 'RfqError'
  readonly code: ErrorCode
  /** Further fields of the answer, for instance `resolutionBps` (decision S1). */
  readonly data: Readonly<Record<string, unknown>>

  constructor(code: ErrorCode, options: { detail?: string; data?: Record<string, unknown>; cause?: unknown } = {}) {
    super(options.detail ?? ERRORS[code].message, options.cause === undefined ? {} : { cause: options.cause })
    this.code = code
    this.data = options.data ?? {}
  }
}

/** The entry of a code. */
export const errorEntry = (code: ErrorCode): ErrorEntry => ERRORS[code]
