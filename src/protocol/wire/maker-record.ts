import Type, { type Static } from 'typebox'
import {
  type MakerOutcomeKind,
  OUTCOME_KINDS,
  type OwnStanding,
  outcomeFigures,
  type RecordedOutcome,
  type Suspension,
} from '../domain/maker-record.ts'
import { decodeTime, encodeTime } from './fields.ts'
import { createReader } from './reader.ts'
import { Count, Figure, IsoTime, nullable, oneOf, successOf, Text } from './schemas.ts'

/** An outcome of a maker, with its quote. */
const OutcomeFields = Type.Object({
  at: IsoTime,
  kind: oneOf(...OUTCOME_KINDS),
  requestId: Text,
  quoteId: Text,
})

/** Until when a maker is suspended, and which outcomes it is for, oldest first. */
export const SuspensionFields = { until: IsoTime, because: Type.Array(OutcomeFields) }

const StandingFields = Type.Object({
  score: nullable(Count),
  windowMs: Count,
  outcomes: Type.Object(
    Object.fromEntries(OUTCOME_KINDS.map((kind) => [kind, Count])) as Record<MakerOutcomeKind, typeof Count>,
  ),
  confirmP50Ms: nullable(Count),
  confirmP90Ms: nullable(Count),
  confirmP99Ms: nullable(Count),
  lastDay: Type.Object({ requests: Count, won: Count, winShare: nullable(Figure) }),
  suspension: nullable(Type.Object(SuspensionFields)),
  strikes: Count,
  newest: Type.Array(OutcomeFields),
})

/** `GET /v1/mm/standing`. */
export const StandingAnswer = successOf({ standing: StandingFields })

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

/** A maker's own record. */
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

/** A suspension, as its maker sees it. */
export const encodeSuspension = ({ until, because }: Pick<Suspension, 'until' | 'because'>) => ({
  until: encodeTime(until),
  because: because.map(outcomeFigures),
})

/** A suspension whose schema was checked. */
export const decodeSuspension = ({
  until,
  because,
}: {
  until: string
  because: readonly Static<typeof OutcomeFields>[]
}): Pick<Suspension, 'until' | 'because'> => ({
  until: decodeTime(until, 'until'),
  because: because.map(decodeOutcome),
})

const decodeOutcome = ({ at, ...outcome }: Static<typeof OutcomeFields>): RecordedOutcome => ({
  ...outcome,
  at: decodeTime(at, 'at'),
})
