import type { Static } from 'typebox'
import * as Type from 'typebox'
import {
  type MakerOutcomeKind,
  OUTCOME_KINDS,
  type OwnStanding,
  outcomeFigures,
  type RecordedOutcome,
  type Suspension,
} from '../domain/maker-record.ts'
import * as field from './field.ts'
import { decodeTime, encodeTime } from './fields.ts'
import { createReader } from './reader.ts'
import { Count, described, Figure, nullable, oneOf, successOf } from './schemas.ts'

/** An outcome of a maker, with its quote. */
const OutcomeFields = Type.Object({
  at: field.at,
  kind: described(oneOf(...OUTCOME_KINDS), field.kind),
  requestId: field.requestId,
  quoteId: field.quoteId,
})

export const SuspensionFields = {
  until: field.until,
  because: described(
    Type.Array(OutcomeFields),
    'The outcomes that the suspension is for, oldest first; the entries of these requests in the audit log tell more.',
  ),
}

const StandingFields = Type.Object({
  score: nullable(field.score),
  windowMs: described(Count, 'How far back outcomes count, in milliseconds; the newest 100 at most.', 86_400_000),
  outcomes: described(
    Type.Object({
      confirmed: field.confirmed,
      missed: field.missed,
      declined: field.declined,
      insolvent: described(Count, 'Quotes that its wallet could not pay when a taker took them.', 0),
      bad_signature: described(Count, 'Orders that it signed wrongly.', 0),
      cancelled: described(Count, 'Orders that it signed, and cancelled on chain.', 0),
      defunded: described(Count, 'Orders that it signed, and emptied its wallet.', 0),
    } satisfies Record<MakerOutcomeKind, typeof Count>),
    'How many outcomes of each kind count.',
  ),
  confirmP50Ms: nullable(field.confirmP50Ms),
  confirmP90Ms: nullable(
    described(Count, '90th percentile of the time to sign, in milliseconds; null without data.', 1_200),
  ),
  confirmP99Ms: nullable(field.confirmP99Ms),
  lastDay: described(
    Type.Object({
      requests: described(Count, 'How many there are.', 310),
      won: described(Count, 'How many of them it won.', 42),
      winShare: nullable(described(Figure, 'The share of them that it won, 0 to 1; null where there is none.', 0.135)),
    }),
    'Of the requests that it quoted on and that ended in the last day.',
  ),
  suspension: nullable(
    described(Type.Object(SuspensionFields), 'What holds the maker back for its record; null when nothing does.'),
  ),
  strikes: described(Count, 'Suspensions that count: each makes the next one twice as long.', 0),
  newest: described(Type.Array(OutcomeFields), 'The newest outcomes, at most ten, oldest first.'),
})

/** `GET /v1/mm/standing`. */
export const StandingAnswer = successOf({ standing: described(StandingFields, "The maker's own record.") })

const readStanding = createReader(StandingAnswer, 'the answer')

/** A maker's own record; `winShare` is 0 to 1, null before the first request has ended. */
export function encodeStanding(standing: OwnStanding): Static<typeof StandingAnswer> {
  const { lastDay, suspension, newest } = standing
  const { requests, won } = lastDay
  return {
    success: true,
    standing: {
      ...standing,
      lastDay: { requests, won, winShare: requests === 0 ? null : won / requests },
      suspension: suspension === null ? null : encodeSuspension(suspension),
      newest: newest.map(outcomeFigures),
    },
  }
}

export function decodeStanding(answer: unknown): OwnStanding {
  const { standing } = readStanding(answer)
  const { lastDay, suspension, newest } = standing
  return {
    ...standing,
    lastDay: { requests: lastDay.requests, won: lastDay.won },
    suspension: suspension === null ? null : decodeSuspension(suspension),
    newest: newest.map(decodeOutcome),
  }
}

export const encodeSuspension = ({ until, because }: Pick<Suspension, 'until' | 'because'>) => ({
  until: encodeTime(until),
  because: because.map(outcomeFigures),
})

type SuspensionOnWire = { until: string; because: readonly Static<typeof OutcomeFields>[] }

export const decodeSuspension = ({ until, because }: SuspensionOnWire): Pick<Suspension, 'until' | 'because'> => ({
  until: decodeTime(until, 'until'),
  because: because.map(decodeOutcome),
})

const decodeOutcome = ({ at, ...outcome }: Static<typeof OutcomeFields>): RecordedOutcome => ({
  ...outcome,
  at: decodeTime(at, 'at'),
})
