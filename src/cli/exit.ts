import type { ErrorCode } from '../domain/errors.ts'

/** What an exit code says, as `rfqctl --help` lists them. */
export const EXIT = {
  done: 0,
  unexpected: 1,
  usage: 2,
  refused: 3,
  unauthorized: 4,
  notFound: 5,
  timedOut: 6,
  unreachable: 7,
  chain: 8,
  corrupt: 9,
  inUse: 10,
  interrupted: 130,
  terminated: 143,
} as const

/** The exit code of every refusal of the service (ruling E1). */
export const EXIT_OF_ERROR = {
  invalid_request: EXIT.usage,
  invalid_json: EXIT.usage,
  unsupported_media_type: EXIT.usage,
  payload_too_large: EXIT.usage,
  not_found: EXIT.notFound,
  method_not_allowed: EXIT.usage,
  request_timeout: EXIT.timedOut,
  too_many_connections: EXIT.unreachable,
  shutting_down: EXIT.unreachable,
  internal_error: EXIT.unexpected,

  invalid_api_key: EXIT.unauthorized,
  invalid_access_token: EXIT.unauthorized,
  identity_not_configured: EXIT.unauthorized,
  identity_unavailable: EXIT.unreachable,
  operator_token_required: EXIT.unauthorized,
  taker_secret_required: EXIT.unauthorized,
  origin_not_allowed: EXIT.unauthorized,

  request_not_found: EXIT.notFound,
  request_expired: EXIT.notFound,
  request_closed: EXIT.refused,
  quote_not_found: EXIT.notFound,
  quote_locked: EXIT.refused,
  option_expired: EXIT.refused,

  side_mismatch: EXIT.refused,
  size_too_small: EXIT.refused,
  price_out_of_range: EXIT.refused,
  price_above_max_payoff: EXIT.refused,
  fill_below_one: EXIT.refused,
  maker_insufficient_balance: EXIT.refused,
  maker_insufficient_allowance: EXIT.refused,

  wallet_mismatch: EXIT.refused,
  commit_in_progress: EXIT.refused,
  already_committed: EXIT.refused,
  no_valid_quotes: EXIT.refused,
  no_acceptable_quote: EXIT.refused,
  quote_changed: EXIT.refused,
  series_not_registered: EXIT.refused,
  series_halted: EXIT.refused,
  no_maker_confirmed: EXIT.timedOut,
  no_pending_acceptance: EXIT.notFound,
  invalid_signature: EXIT.refused,

  series_not_found: EXIT.notFound,
  series_not_expired: EXIT.refused,
  series_already_settled: EXIT.refused,
  already_resolved: EXIT.refused,
  manual_review: EXIT.refused,
  price_source_unavailable: EXIT.unreachable,
  resolution_pending: EXIT.refused,
  signer_not_configured: EXIT.refused,
  settlement_unauthorized: EXIT.unauthorized,

  faucet_cooldown: EXIT.refused,
  faucet_not_configured: EXIT.refused,
  faucet_unavailable: EXIT.chain,

  chain_unavailable: EXIT.chain,
  store_unavailable: EXIT.unreachable,
} as const satisfies Record<ErrorCode, number>
