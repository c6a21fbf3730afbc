import Type, { type Static } from 'typebox'
import { CANDIDATE_OUTCOMES } from '../domain/commit.ts'
import { type ErrorCode, errorEntry, type RfqError } from '../domain/errors.ts'
import { PartState } from './health.ts'
import { TripFields } from './maker-protections.ts'
import { SuspensionFields } from './maker-record.ts'
import { createReader, type JsonSchema } from './reader.ts'
import {
  Count,
  Dollars,
  Flag,
  nullable,
  oneOf,
  ResolutionPrice,
  successOf,
  Text,
  Uint256Text,
  UnixSeconds,
} from './schemas.ts'

/** The body of a failure; some codes add fields of their own (protocol message-2). */
export const FailureAnswer = Type.Object({
  success: Type.Literal(false),
  error: Text,
  code: Text,
  detail: Type.Optional(Text),
  hint: Type.Optional(Text),
  retryable: Type.Optional(Flag),
})

const series = { seriesId: Uint256Text }

/** Only where the same commit with a proof of its wallet is not refused so. */
const wanting = { proofRequired: Type.Optional(Flag) }

/** Fields of a commit that asked makers or passed them over: the quotes that it considered, and their outcomes. */
const tried = {
  candidates: Type.Optional(
    Type.Array(Type.Object({ makerId: Text, quoteId: Text, outcome: oneOf(...CANDIDATE_OUTCOMES) })),
  ),
}

/** The fields that some refusals add to the envelope: figures that a program can use. */
export const FAILURE_DATA: Partial<Record<ErrorCode, Readonly<Record<string, JsonSchema>>>> = {
  not_ready: { store: PartState, bus: PartState, chain: PartState },
  too_many_connections: { retryAfterS: Count },
  too_many_requests: { retryAfterS: Count },
  overloaded: { retryAfterS: Count },
  too_many_unfilled_orders: { retryAfterS: Count, ...tried },
  maker_insufficient_balance: { ...wanting, ...tried },
  maker_insufficient_allowance: { ...wanting, ...tried },
  no_maker_confirmed: tried,
  no_valid_quotes: tried,
  proof_required: tried,
  amount_too_large: tried,
  already_committed: { quoteId: Text, price: Dollars, fillContracts: Count },
  maker_suspended: SuspensionFields,
  protection_tripped: { trip: Type.Optional(TripFields) },
  option_expired: { expiry: UnixSeconds, now: UnixSeconds },
  series_not_expired: { ...series, expiry: UnixSeconds, chainTime: UnixSeconds },
  series_already_settled: { ...series, resolutionBps: ResolutionPrice },
  already_resolved: { ...series, resolutionBps: ResolutionPrice },
  manual_review: { ...series, windowStart: UnixSeconds, windowEnd: UnixSeconds },
  faucet_cooldown: { retryAfterS: Count },
  /** Only if waiting alone can help. */
  relayer_unavailable: { retryAfterS: Type.Optional(Count) },
  fee_too_low: { fee: Uint256Text },
  /** The code of docs/reference/errors.md, and the name of the contract's error where it gave one. */
  fill_refused: { reason: Text, contractError: nullable(Text) },
  /** Only if the relay itself bounds its reads of the chain. */
  chain_unavailable: { retryAfterS: Count },
  faucet_exhausted: { retryAfterS: Count },
}

/** The body of a success that says nothing else. */
export const OkAnswer = successOf({})

/** A failure as a client knows it: `code` may be one that this version does not know, `data` holds further fields. */
export type Failure = {
  code: string
  message: string
  hint: string | null
  retryable: boolean
  data: Readonly<Record<string, unknown>>
}

const readFailure = createReader(FailureAnswer, 'the answer')

/** The codes that the specification puts in `error` itself, with the sentence in `detail`. */
const NAMED: ReadonlySet<string> = new Set<ErrorCode>([
  'maker_insufficient_balance',
  'maker_insufficient_allowance',
  'no_pending_acceptance',
])

/** The success that says nothing else. */
export const OK: Static<typeof OkAnswer> = { success: true }

/** A refusal in the envelope. */
export function encodeFailure({ code, message, data }: RfqError): Static<typeof FailureAnswer> {
  const { hint, retryable } = errorEntry(code)
  const sentence = NAMED.has(code) ? { error: code, detail: message } : { error: message }
  return {
    ...data,
    success: false,
    ...sentence,
    code,
    ...(hint === undefined ? {} : { hint }),
    ...(retryable === undefined ? {} : { retryable }),
  }
}

/** Reads a failure; null when the body is not the relay's, as from a proxy. */
export function decodeFailure(body: unknown): Failure | null {
  try {
    const {
      success: _,
      error,
      code,
      detail,
      hint,
      retryable,
      ...data
    } = readFailure(body) as Static<typeof FailureAnswer> & Record<string, unknown>
    return { code, message: detail ?? error, hint: hint ?? null, retryable: retryable ?? false, data }
  } catch {
    return null
  }
}
