import { percentile, smoothedScore } from './reliability.ts'

/**
 * Outcome of a maker's promise: `declined`, `missed` and `bad_signature` for an order that it was asked to sign, `insolvent` when
 * its wallet could not pay what it quoted, `cancelled` and `defunded` for an order that it had signed and took back.
 */
export type MakerOutcomeKind =
  | 'confirmed'
  | 'missed'
  | 'declined'
  | 'insolvent'
  | 'bad_signature'
  | 'cancelled'
  | 'defunded'

/** An outcome of a maker's promise. */
export type RecordedOutcome = {
  /** Time, Unix milliseconds. */
  at: number
  kind: MakerOutcomeKind
  /** The quote request. */
  requestId: string
  /** The quote that a taker took. */
  quoteId: string
  /** From the ask to the answer, milliseconds; absent where there was none, or it is not shown. */
  waitedMs?: number
}

/** Rule by which makers are suspended. Times are milliseconds. */
export type BreakerRule = {
  /** Age up to which outcomes count. */
  windowMs: number
  /** Length of the first suspension; each further one is twice as long as the one before; 0: no one is suspended. */
  suspensionMs: number
  /** The longest suspension. */
  maxSuspensionMs: number
  /** Fewest outcomes since its last suspension with which a maker is suspended. */
  minOutcomes: number
  /** The score below which a maker is suspended. */
  below: number
  /** Confirmations in a row that take one suspension off the count. */
  cleanPerStrike: number
  /** Misses within this time count as one, and so do insolvencies: takers decide how many orders they hit at once. */
  incidentMs: number
}

/** The last suspension of a maker and what is left of those before. Times are Unix milliseconds. */
export type Suspension = {
  /** Suspensions that count: each makes the next twice as long. */
  strikes: number
  /** Confirmations since, with nothing else between. */
  cleanInARow: number
  /** Start. */
  since: number
  /** End; outcomes up to then do not count for the next one. */
  until: number
  /** The newest outcomes that caused it, oldest first. */
  because: readonly RecordedOutcome[]
}

/** A maker's outcomes of the last day, oldest first; `suspension` is the last one, null where there was none that still counts. */
export type MakerRecord = { outcomes: readonly RecordedOutcome[]; suspension: Suspension | null }

/** Time that outcomes are kept, milliseconds, and the most that are kept per maker. */
export const OUTCOMES_KEPT_MS = 24 * 3_600_000
export const OUTCOMES_KEPT = 100

/** Outcomes that a suspension names. */
const BECAUSE_KEPT = 10

/** Longest delay before the miss of an order is noted, milliseconds. */
export const NOTED_WITHIN_MS = 40_000

/** Most suspensions that count: the next one reaches its bound long before. */
const MAX_STRIKES = 30

/**
 * Earlier outcomes of a quote with which an outcome of this kind is not counted. An order that was signed and taken back has one
 * outcome, whichever comes first, and so has one that was signed wrongly and then not at all; a quote is asked for many times.
 */
export const KNOWN_BY: Readonly<Record<MakerOutcomeKind, readonly MakerOutcomeKind[]>> = {
  confirmed: ['confirmed', 'cancelled', 'defunded'],
  missed: ['missed', 'bad_signature'],
  declined: ['declined', 'bad_signature'],
  insolvent: ['insolvent'],
  bad_signature: ['bad_signature', 'missed', 'declined'],
  cancelled: ['cancelled', 'defunded'],
  defunded: ['cancelled', 'defunded'],
}

/** Every kind. */
export const OUTCOME_KINDS = Object.keys(KNOWN_BY) as readonly MakerOutcomeKind[]

/** Outcomes of a quote that a new one replaces. */
export const replacedBy = (kind: MakerOutcomeKind): readonly MakerOutcomeKind[] =>
  kind === 'cancelled' || kind === 'defunded' ? ['confirmed'] : []

/** Kinds that takers can bring about from one cause as often as they like. */
const MERGED: readonly MakerOutcomeKind[] = ['missed', 'insolvent']

/** Time within which outcomes of a kind count as one, milliseconds; 0: each counts. */
export const incidentMsOf = (kind: MakerOutcomeKind, incidentMs: number): number =>
  MERGED.includes(kind) ? incidentMs : 0

/** The outcomes with one more; null when it is counted already, or is a miss or insolvency within `incidentMs` of another. */
export function withOutcome(
  outcomes: readonly RecordedOutcome[],
  outcome: RecordedOutcome,
  incidentMs = 0,
): readonly RecordedOutcome[] | null {
  const since = outcome.at - incidentMsOf(outcome.kind, incidentMs)
  if (since < outcome.at && outcomes.some(({ kind, at }) => kind === outcome.kind && at > since)) return null
  const ofQuote = outcomes.filter(({ quoteId }) => quoteId === outcome.quoteId)
  if (ofQuote.some(({ kind }) => KNOWN_BY[outcome.kind].includes(kind))) return null
  const replaced = ofQuote.filter(({ kind }) => replacedBy(outcome.kind).includes(kind))
  const kept = replaced.length === 0 ? outcomes : outcomes.filter((former) => !replaced.includes(former))
  return [...kept.slice(1 - OUTCOMES_KEPT), outcome]
}

/** Outcomes that count at a moment, Unix milliseconds. */
export const outcomesWithin = (
  outcomes: readonly RecordedOutcome[],
  { now, windowMs }: { now: number; windowMs: number },
): readonly RecordedOutcome[] => outcomes.filter(({ at }) => at > now - windowMs)

/** Reliability of a maker's promises, 0..100: the share of them that it kept, smoothed by a credit; null before the first. */
export const scoreOf = (outcomes: readonly Pick<RecordedOutcome, 'kind'>[]): number | null =>
  smoothedScore(outcomes.filter(({ kind }) => kind === 'confirmed').length, outcomes.length)

/**
 * The suspension after the newest outcome of a record; a bad outcome may begin one. The same object where nothing changed. While
 * a maker is suspended it is not suspended again.
 */
export function suspensionAfter(
  { outcomes, suspension }: MakerRecord,
  outcome: RecordedOutcome,
  rule: BreakerRule,
): Suspension | null {
  if (outcome.kind === 'confirmed') return suspension === null ? null : afterClean(suspension, rule)
  const former = suspension === null || suspension.cleanInARow === 0 ? suspension : { ...suspension, cleanInARow: 0 }
  const { at } = outcome
  if (rule.suspensionMs === 0 || activeSuspension(former, at) !== null) return former
  const counted = outcomesWithin(outcomes, { now: at, windowMs: rule.windowMs }).filter(
    (one) => one.at > countsAfter(former),
  )
  const score = scoreOf(counted)
  if (counted.length < rule.minOutcomes || score === null || score >= rule.below) return former
  const strikes = former?.strikes ?? 0
  return {
    strikes: Math.min(strikes + 1, MAX_STRIKES),
    cleanInARow: 0,
    since: at,
    until: at + Math.min(rule.suspensionMs * 2 ** strikes, rule.maxSuspensionMs),
    because: counted.filter(({ kind }) => kind !== 'confirmed').slice(-BECAUSE_KEPT),
  }
}

/**
 * A suspended maker is not asked: outcomes noted until the end, or shortly after the start, are of earlier orders, since a miss
 * is noted only when no answer can still be under way.
 */
const countsAfter = (former: Suspension | null): number =>
  former === null ? 0 : Math.max(former.until, former.since + NOTED_WITHIN_MS)

function afterClean(suspension: Suspension, { cleanPerStrike }: BreakerRule): Suspension {
  const { strikes, cleanInARow } = suspension
  if (strikes === 0) return suspension
  return cleanInARow + 1 < cleanPerStrike
    ? { ...suspension, cleanInARow: cleanInARow + 1 }
    : { ...suspension, strikes: strikes - 1, cleanInARow: 0 }
}

/** The suspension of a maker at a moment, Unix milliseconds; null when there is none. */
export const activeSuspension = (suspension: Suspension | null, now: number): Suspension | null =>
  suspension === null || now >= suspension.until ? null : suspension

/** A suspension that an operator ends: neither it nor earlier outcomes count. */
export const reinstated = (suspension: Suspension, now: number): Suspension => ({
  ...suspension,
  strikes: Math.max(0, suspension.strikes - 1),
  cleanInARow: 0,
  since: now,
  until: now,
})

/** An outcome as figures for programs: its time in ISO 8601. */
export const outcomeFigures = ({ at, kind, requestId, quoteId }: RecordedOutcome) => ({
  at: new Date(at).toISOString(),
  kind,
  requestId,
  quoteId,
})

/** The nearest-rank percentile of a record's waits for a signature, milliseconds, `share` in (0, 1]; null for none. */
export const waitPercentile = (outcomes: readonly RecordedOutcome[], share: number): number | null =>
  percentile(
    outcomes.flatMap(({ waitedMs }) => waitedMs ?? []),
    share,
  )

/** A maker's own record, as shown to the maker. Times are Unix milliseconds. */
export type OwnStanding = {
  /** Reliability of its promises, 0 to 100; null before the first. */
  score: number | null
  /** Age up to which the newest 100 outcomes count, milliseconds. */
  windowMs: number
  /** Number of outcomes of each kind that count. */
  outcomes: Readonly<Record<MakerOutcomeKind, number>>
  /** The median wait from ask to signature, milliseconds; null before the first. */
  confirmP50Ms: number | null
  /** Their 90th percentile. */
  confirmP90Ms: number | null
  /** Their 99th percentile. */
  confirmP99Ms: number | null
  /** Wins among the requests that it quoted on and that ended in the last day. */
  lastDay: WinCounts
  /** Its quotes are refused `until`; null: they are not. */
  suspension: { until: number; because: readonly RecordedOutcome[] } | null
  /** Suspensions that count: each makes the next twice as long. */
  strikes: number
  /** Oldest first. */
  newest: readonly RecordedOutcome[]
}

/** Requests that a maker quoted on, and won. */
export type WinCounts = {
  /** Requests that it quoted on, and that ended. */
  requests: number
  /** Requests that it won. */
  won: number
}

/** Outcomes that a maker is shown one by one. */
const NEWEST_SHOWN = 10

/** A record at a moment, `now` in Unix milliseconds, as shown to its maker. */
export function standingOf(
  { outcomes, suspension }: MakerRecord,
  { now, windowMs, lastDay }: { now: number; windowMs: number; lastDay: WinCounts },
): OwnStanding {
  const counted = outcomesWithin(outcomes, { now, windowMs })
  const active = activeSuspension(suspension, now)
  const signed = counted.filter(({ kind }) => kind === 'confirmed')
  const count = (kind: MakerOutcomeKind) => counted.filter((outcome) => outcome.kind === kind).length
  return {
    score: scoreOf(counted),
    windowMs,
    outcomes: Object.fromEntries(OUTCOME_KINDS.map((kind) => [kind, count(kind)])) as OwnStanding['outcomes'],
    confirmP50Ms: waitPercentile(signed, 0.5),
    confirmP90Ms: waitPercentile(signed, 0.9),
    confirmP99Ms: waitPercentile(signed, 0.99),
    lastDay,
    suspension: active === null ? null : { until: active.until, because: active.because },
    strikes: suspension?.strikes ?? 0,
    newest: outcomes.slice(-NEWEST_SHOWN),
  }
}
