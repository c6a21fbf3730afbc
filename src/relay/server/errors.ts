import { type ErrorCode, RfqError } from '@rfqctl/protocol/domain/errors'

export const STATUS = {
  invalid_request: 400,
  invalid_json: 400,
  unsupported_media_type: 415,
  payload_too_large: 413,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  too_many_connections: 429,
  too_many_requests: 429,
  overloaded: 503,
  shutting_down: 503,
  not_ready: 503,
  internal_error: 500,

  invalid_api_key: 401,
  maker_blocked: 403,
  maker_suspended: 403,
  invalid_access_token: 401,
  identity_not_configured: 503,
  identity_unavailable: 503,
  api_key_not_found: 404,
  too_many_api_keys: 409,
  maker_id_taken: 409,
  maker_id_settled: 409,
  operator_token_required: 401,
  taker_secret_required: 403,
  origin_not_allowed: 403,

  request_not_found: 404,
  request_expired: 404,
  request_closed: 409,
  transcript_not_ready: 409,
  quote_not_found: 404,
  quote_locked: 409,
  protection_tripped: 409,
  outside_protections: 422,
  invalid_package: 400,
  client_request_id_reused: 409,
  option_expired: 400,

  side_mismatch: 400,
  size_too_small: 400,
  price_out_of_range: 400,
  price_above_max_payoff: 400,
  fill_below_one: 400,
  maker_insufficient_balance: 422,
  maker_insufficient_allowance: 422,

  wallet_mismatch: 409,
  proof_required: 422,
  commit_in_progress: 409,
  position_too_small: 422,
  amount_too_large: 422,
  too_many_unfilled_orders: 429,
  already_committed: 409,
  no_valid_quotes: 409,
  no_acceptable_quote: 409,
  quote_changed: 409,
  series_not_registered: 409,
  series_halted: 409,
  no_maker_confirmed: 503,
  no_pending_acceptance: 404,
  invalid_signature: 400,

  series_not_found: 404,
  series_not_expired: 409,
  series_already_settled: 409,
  price_vetoed: 409,
  already_resolved: 409,
  manual_review: 409,
  price_source_unavailable: 503,
  resolution_pending: 503,
  signer_not_configured: 503,
  signer_not_in_office: 503,
  signer_unavailable: 503,
  signer_refused: 503,
  settlement_unauthorized: 401,

  faucet_cooldown: 429,
  faucet_exhausted: 429,
  faucet_not_configured: 503,
  faucet_unavailable: 503,

  relayer_unavailable: 503,
  authorization_mismatch: 422,
  fee_too_low: 422,
  fill_too_late: 422,
  fill_refused: 422,
  fill_too_expensive: 422,
  fill_in_progress: 409,
  fill_not_found: 404,

  chain_unavailable: 503,
  store_unavailable: 503,
} as const satisfies Record<ErrorCode, number>

/** Codes of Fastify and Node for faults that a client causes. */
const FOREIGN: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_request',
  FST_ERR_BAD_URL: 'not_found',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  ECONNRESET: 'invalid_request',
}

export const statusOf = ({ code }: RfqError): number => STATUS[code]

/** Any other fault becomes `internal_error`, which reveals nothing of it. */
export function toRefusal(fault: unknown): RfqError {
  if (fault instanceof RfqError) return fault
  const code = FOREIGN[String((fault as { code?: unknown } | null)?.code)] ?? 'internal_error'
  return new RfqError(code, { cause: fault })
}
