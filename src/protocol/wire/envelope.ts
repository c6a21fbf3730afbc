import type { Static } from 'typebox'
import * as Type from 'typebox'
import { CANDIDATE_OUTCOMES } from '../domain/commit.ts'
import { type ErrorCode, errorEntry, type RfqError } from '../domain/errors.ts'
import * as field from './field.ts'
import { PartStates } from './health.ts'
import { TripFields } from './maker-protections.ts'
import { SuspensionFields } from './maker-record.ts'
import { createReader, type JsonSchema } from './reader.ts'
import { described, Flag, nullable, oneOf, successOf, Text, Uint256Text, UnixSeconds } from './schemas.ts'

/** The body of a failure; some codes add fields of their own (protocol message-2). */
export const FailureAnswer = Type.Object({
  success: described(Type.Literal(false), 'Whether the call succeeded.'),
  error: described(
    Text,
    'A sentence for people to read; for three codes that the specification names, the code itself.',
    'The price is above the most that the option can pay.',
  ),
  code: field.code,
  detail: Type.Optional(field.detail),
  hint: Type.Optional(
    described(Text, 'What to do about it.', 'A call pays at most 1 - K, a put at most K, K being strikeBps / 10000.'),
  ),
  retryable: Type.Optional(described(Flag, 'Whether trying again can help.', false)),
})

const series = { seriesId: field.seriesId }

/** Only where the same commit with a proof of its wallet is not refused so. */
const wanting = {
  proofRequired: Type.Optional(
    described(
      Flag,
      'Present where only other commits without a proof are in the way: a proof of the wallet helps.',
      true,
    ),
  ),
}

/** Fields of a commit that asked makers or passed them over: the quotes that it considered, and their outcomes. */
const tried = {
  candidates: Type.Optional(
    described(
      Type.Array(
        Type.Object({
          makerId: field.makerId,
          quoteId: field.quoteId,
          outcome: described(
            oneOf(...CANDIDATE_OUTCOMES),
            'What came of a maker that a commit considered: it did not sign in time, declined, had no socket open, cannot pay, is held back so that its quote is gone, offers more than the series can hold, or is not asked without a proof of the wallet.',
            'missed',
          ),
        }),
      ),
      'The makers whose quotes a commit considered, in their order, at most 20; absent where it considered none.',
    ),
  ),
}

/** The fields that some refusals add to the envelope: figures that a program can use. */
export const FAILURE_DATA: Partial<Record<ErrorCode, Readonly<Record<string, JsonSchema>>>> = {
  not_ready: PartStates,
  too_many_connections: { retryAfterS: field.retryAfterS },
  too_many_requests: { retryAfterS: field.retryAfterS },
  overloaded: { retryAfterS: field.retryAfterS },
  too_many_unfilled_orders: { retryAfterS: field.retryAfterS, ...tried },
  maker_insufficient_balance: { ...wanting, ...tried },
  maker_insufficient_allowance: { ...wanting, ...tried },
  no_maker_confirmed: tried,
  no_valid_quotes: tried,
  proof_required: tried,
  amount_too_large: tried,
  already_committed: { quoteId: field.quoteId, price: field.price, fillContracts: field.fillContracts },
  maker_suspended: SuspensionFields,
  protection_tripped: { trip: Type.Optional(TripFields) },
  option_expired: {
    expiry: field.expiry,
    now: described(UnixSeconds, 'The time that the check used, in Unix seconds.', 1_800_000_001),
  },
  series_not_expired: { ...series, expiry: field.expiry, chainTime: field.chainTime },
  series_already_settled: { ...series, resolutionBps: field.resolutionBps },
  already_resolved: { ...series, resolutionBps: field.resolutionBps },
  manual_review: { ...series, windowStart: field.windowStart, windowEnd: field.windowEnd },
  faucet_cooldown: { retryAfterS: field.retryAfterS },
  /** Only if waiting alone can help. */
  relayer_unavailable: { retryAfterS: Type.Optional(field.retryAfterS) },
  fee_too_low: { fee: Uint256Text },
  /** The code of docs/reference/errors.md, and the name of the contract's error where it gave one. */
  fill_refused: { reason: Text, contractError: nullable(Text) },
  /** Only if the relay itself bounds its reads of the chain. */
  chain_unavailable: { retryAfterS: field.retryAfterS },
  faucet_exhausted: { retryAfterS: field.retryAfterS },
}

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

export const OK: Static<typeof OkAnswer> = { success: true }

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
    const failure = readFailure(body) as Static<typeof FailureAnswer> & Record<string, unknown>
    const { success: _, error, code, detail, hint, retryable, ...data } = failure
    return { code, message: detail ?? error, hint: hint ?? null, retryable: retryable ?? false, data }
  } catch {
    return null
  }
}
