import {
  ClientSetupError,
  OrderMismatchError,
  PaymentError,
  RelayError,
  RelayUnreachableError,
  TransactionRevertedError,
} from '@rfqctl/client/errors'
import { CliError } from '@rfqctl/lib/cli-error'
import { EXIT, EXIT_OF_ERROR } from '@rfqctl/lib/exit'
import { duration } from '@rfqctl/lib/format'
import { CANDIDATE_OUTCOMES, type CandidateOutcome } from '@rfqctl/protocol/domain/commit'
import { type ErrorCode, errorEntry, RfqError } from '@rfqctl/protocol/domain/errors'
import { safeText } from '@rfqctl/protocol/domain/safe-text'
import { StoreOpenError } from '@rfqctl/relay/adapters/store/open-error'
import { chainFailure } from './chain-failure.ts'
import { causesOf, textOf } from './error-causes.ts'
import { type Failure, failureOf } from './failure.ts'

/** System errors where no one answers at an address. */
const UNREACHABLE = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ETIMEDOUT'])

/** System errors where a file cannot be written. */
const UNWRITABLE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'ENOTDIR', 'EEXIST'])

/** Maps every thrown value to a refusal that a person can act on. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof CliError) return error
  if (error instanceof RfqError) return rfqFailure(error)
  if (error instanceof StoreOpenError) {
    const { message, hint, reason } = error
    const isDamaged = reason === 'corrupt' || reason === 'moved'
    return failureOf({ code: reason, message, hint, exitCode: isDamaged ? EXIT.corrupt : EXIT.inUse })
  }
  return clientFailure(error) ?? chainFailure(error) ?? systemFailure(error) ?? unexpectedFailure(error)
}

/** For a service in this process: the shared words, with the system's reason. */
function rfqFailure(error: RfqError): Failure {
  const { code, message, data } = error
  const hint = OWN_HINTS[code] ?? errorEntry(code).hint ?? null
  const why = causesOf(error).map(textOf)
  return failureOf({ code, message, why, hint, data })
}

/** Hints for who starts a relay; the relay's own are for its clients. */
const OWN_HINTS: Readonly<Partial<Record<ErrorCode, string>>> = {
  chain_unavailable: 'rfqctl chain status',
  invalid_package: 'name 2 to 4 different options, each 1 to 4 times, without a common divisor',
  price_source_unavailable: 'check the address of the source (--from, MARKETS_URL), and that this machine reaches it',
  store_unavailable: 'check that Postgres and Redis run where DATABASE_URL and REDIS_URL point',
}

/** Hints that name commands, flags and settings, where the relay's own name headers and fields of its API. */
const CLI_HINTS: Readonly<Partial<Record<ErrorCode, string>>> = {
  too_many_connections: 'close a connection that is not needed, or wait',
  too_many_requests: 'wait, then try again',
  overloaded: 'wait, then try again',
  invalid_api_key: 'set RFQCTL_API_KEY, or name a maker of the sandbox with --account',
  invalid_access_token: 'rfqctl login',
  too_many_api_keys: 'revoke an unused key: rfqctl keys revoke',
  maker_id_taken: 'choose another name with --as, or leave it out',
  maker_id_settled: 'leave --as out: the key is for the maker that the account has',
  operator_token_required: 'set OPERATOR_TOKEN, or pass the data directory of serve with --data-dir',
  taker_secret_required: 'pass the data directory that the request was opened in with --data-dir',
  option_expired: 'rfqctl series list',
  proof_required: 'commit with the key of the wallet: --account',
  maker_insufficient_allowance: 'rfqctl maker approve',
  too_many_unfilled_orders: 'rfqctl taker fill, or wait until one expires',
  no_acceptable_quote: 'loosen --limit or --min, or ask for less; rfqctl taker quotes shows what is offered',
  series_not_registered: 'rfqctl series list',
  series_not_found: 'rfqctl series list',
  quote_changed: 'rfqctl taker quotes shows the best quote now',
  no_maker_confirmed: 'commit again; a looser --limit or --min includes other makers',
  no_pending_acceptance: 'rfqctl maker status',
  maker_suspended: 'rfqctl maker standing --account NAME shows until when, and what it is for',
  protection_tripped: 'rfqctl maker protect --reset, or wait until the freeze is over',
  outside_protections: 'rfqctl maker protect shows and replaces them',
  invalid_signature: 'sign with the key of the wallet: --account',
  manual_review: 'an operator decides: rfqctl settle review list',
  settlement_unauthorized: 'set SETTLEMENT_API_KEY',
  faucet_cooldown: 'wait, or name another wallet: rfqctl faucet ADDRESS',
  faucet_exhausted: 'wait, then try again',
  chain_unavailable: 'rfqctl chain status',
  store_unavailable: 'try again in a moment',
  relayer_unavailable: 'fill from the wallet itself, without --relayer, or try again later',
  authorization_mismatch: 'run the command again: it reads what the relayer asks for',
  fee_too_low: 'run the command again: it reads what the relayer asks for',
  fill_too_expensive: 'fill from the wallet itself, without --relayer',
  fill_in_progress: 'wait until the fill that is on its way has ended',
}

/** A proxy's answers when it does not reach the relay, or not in time. */
const OF_A_PROXY = /^http_50[234]$/
const PROXY_HINT = 'try again in a moment; if you run the relay, check that it runs and that its proxy leads to it'

function clientFailure(error: unknown): Failure | null {
  if (error instanceof RelayError) {
    const { code, message, data, retryAfterMs } = error
    const hint = CLI_HINTS[code as ErrorCode] ?? (OF_A_PROXY.test(code) ? PROXY_HINT : error.hint)
    const wait = retryAfterMs === null ? [] : [`it accepts the next call in ${duration(retryAfterMs)}`]
    const why = [...candidateLines(data), ...wait]
    return failureOf({ code, message, why, hint, data: withoutEnvelope(data), exitCode: exitOfRelay(error) })
  }
  if (error instanceof RelayUnreachableError) {
    return failureOf({ code: 'unreachable', message: error.message, hint: 'start a relay: rfqctl up' })
  }
  if (error instanceof OrderMismatchError) {
    const message = 'the order differs from the agreed terms, so nothing was signed'
    return failureOf({ code: 'order_mismatch', message, why: error.faults })
  }
  if (error instanceof TransactionRevertedError) {
    const { message, hash } = error
    return failureOf({ code: 'reverted', message, hint: `rfqctl tx explain ${hash}`, exitCode: EXIT.chain })
  }
  if (error instanceof PaymentError) {
    const { code, message, hint } = error
    return failureOf({ code, message, hint, exitCode: EXIT.refused })
  }
  if (error instanceof ClientSetupError) {
    return failureOf({ code: 'usage', message: error.message })
  }
  return null
}

const OUTCOMES: Record<CandidateOutcome, string> = {
  missed: 'did not sign in time',
  declined: 'declined',
  unreachable: 'had no socket open',
  insolvent: 'cannot pay',
  withdrawn: 'is held back, and its quote is withdrawn',
  too_large: 'offers more than the series can hold',
  unproven: 'is not asked without a proof of the wallet',
}

/** Why each maker of a failed commit did not sign; empty where the refusal names none. */
function candidateLines({ candidates }: Readonly<Record<string, unknown>>): string[] {
  if (!Array.isArray(candidates)) return []
  return candidates.flatMap((candidate: { makerId?: unknown; outcome?: unknown } | null) => {
    const { makerId, outcome } = candidate ?? {}
    if (typeof makerId !== 'string' || typeof outcome !== 'string') return []
    const known = CANDIDATE_OUTCOMES.find((name) => name === outcome)
    return [`${safeText(makerId)} ${known === undefined ? safeText(outcome) : OUTCOMES[known]}`]
  })
}

/** A newer relay may refuse with an unknown code: then its HTTP status decides. */
export function exitOfRelay({ code, status }: RelayError): number {
  if (Object.hasOwn(EXIT_OF_ERROR, code)) return EXIT_OF_ERROR[code as ErrorCode]
  if (status === 401 || status === 403) return EXIT.unauthorized
  if (status === 404) return EXIT.notFound
  return status >= 500 ? EXIT.unreachable : EXIT.refused
}

/** Fields of a refusal beyond those of every refusal. */
export function withoutEnvelope(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { success: _, error: __, code: ___, detail: ____, ...further } = data
  return further
}

function systemFailure(error: unknown): Failure | null {
  const { code, path } = deepest(error)
  if (code === 'EADDRINUSE') {
    return failureOf({ code: 'in_use', message: textOf(error), hint: 'choose another port' })
  }
  if (code !== undefined && UNWRITABLE.has(code)) {
    const message = `cannot write ${path ?? 'a file'}: ${code}`
    return failureOf({ code: 'unwritable', message, hint: 'choose another --data-dir', exitCode: EXIT.unexpected })
  }
  if (code !== undefined && UNREACHABLE.has(code)) {
    return failureOf({ code: 'unreachable', message: textOf(error) })
  }
  return null
}

function unexpectedFailure(error: unknown): Failure {
  return failureOf({
    code: 'unexpected',
    message: textOf(error),
    why: causesOf(error).map((cause) => `caused by: ${textOf(cause)}`),
    hint: 'this is a bug in rfqctl: run it again with RFQCTL_DEBUG=1 and report what it prints',
    exitCode: EXIT.unexpected,
  })
}

/** The innermost cause: the one that the system reported. */
function deepest(error: unknown): { code?: string; path?: string } {
  const last = causesOf(error).at(-1) ?? error
  return typeof last === 'object' && last !== null ? last : {}
}
