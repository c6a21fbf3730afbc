import type { RankedQuote } from './best-quote.ts'
import {
  CANDIDATE_OUTCOMES,
  type Candidate,
  type CandidateOutcome,
  type CommitTerms,
  MAX_CANDIDATES_NAMED,
  nextCandidate,
} from './commit.ts'
import { type ErrorCode, RfqError } from './errors.ts'
import { isSameOffer, type Quote } from './quote.ts'
import type { OneSided, QuoteRequest } from './request.ts'

/**
 * What became of a quote in a commit: `confirmed` is a trade, `changed` means that it moved or lapsed, so that the book is read
 * again, `closed` that its request is over. The others are what a taker may know of it.
 */
export type Outcome = CandidateOutcome | 'confirmed' | 'changed' | 'closed'

/** Names a quote of a request. */
export type QuoteName = { makerId: string; quoteId: string }

/**
 * Where a commit is. `Judged` is what was read of a quote, `Asked` the order that its maker is to sign, and `Trade` the signed one:
 * the machine hands them on, and looks at none of them.
 *
 * - `resuming`: whether an earlier commit of the request left a quote held, an order out for signature, or a trade;
 * - `choosing`: which quote is next;
 * - `holding`: the quote must not change any more;
 * - `judging`: whether its maker may be asked for it, and can pay;
 * - `storing`: the order is promised durably, if nothing has changed; one that is signed beforehand is a trade then;
 * - `asking`: its maker signs, declines, or misses the deadline. A commit that was cut off goes on here;
 * - `releasing`: the quote is let go, and counts for or against its maker;
 * - `ended`.
 */
export type CommitState<Judged, Asked, Trade> = { progress: Progress } & (
  | { at: 'resuming' }
  | { at: 'choosing' }
  | { at: 'holding'; quote: RankedQuote; isHurried: boolean }
  | { at: 'judging'; quote: Quote; isHurried: boolean }
  | { at: 'storing'; quote: Quote; isHurried: boolean; judged: Judged }
  | { at: 'asking'; quote: QuoteName; isHurried: boolean; asked: Asked; isResumed: boolean }
  | {
      at: 'releasing'
      quote: QuoteName
      isHurried: boolean
      outcome: Outcome
      shortfall: RfqError | null
      fault: unknown
    }
  | { at: 'ended'; end: CommitEnd<Trade> }
)

/**
 * The end of a commit. The trade is null where an earlier commit made it. `no_candidate`: no quote could be considered, which
 * the state of the market may explain better.
 */
export type CommitEnd<Trade> =
  | { kind: 'committed'; trade: Trade | null }
  | { kind: 'no_candidate'; reason: ErrorCode }
  | { kind: 'refused'; fault: unknown }

/** The makers that a commit has considered so far; `rounds` counts its looks at the book, `hurried` the misses of makers with less time. */
export type Progress = {
  candidates: readonly Candidate[]
  rounds: number
  hurried: number
  /** Why the first maker that cannot pay, or series that is full, was passed over. */
  shortfall: RfqError | null
}

/** The end of a quote's part in a commit. */
export type Over<Trade> = { kind: 'over'; outcome: Outcome; shortfall?: RfqError; trade?: Trade }

/** The events of each state. An effect that fails is `failed` in any. */
export type CommitEvents<Judged, Asked, Trade> = {
  resuming:
    | { kind: 'nothing_left' }
    | { kind: 'quote_left'; quote: QuoteName; outcome: 'missed' | 'changed' }
    | { kind: 'order_left'; quote: QuoteName; asked: Asked }
    | { kind: 'trade_left' }
  choosing: { kind: 'book'; ranked: readonly RankedQuote[]; proven: ReadonlySet<string>; patience: number; now: number }
  holding: { kind: 'held'; quote: Quote } | Over<Trade>
  judging: { kind: 'fit'; judged: Judged } | Over<Trade>
  storing: { kind: 'stored'; asked: Asked } | Over<Trade>
  asking: Over<Trade>
  releasing: { kind: 'released' }
}

/** A state that is not the end; each has one effect, which the relay carries out. */
export type Stage = keyof CommitEvents<unknown, unknown, unknown>

/** The state of a stage. */
export type StateAt<At extends Stage, Judged, Asked, Trade> = Extract<CommitState<Judged, Asked, Trade>, { at: At }>

/** The bounds and terms of a commit. `mostAsked`: makers that are asked; `mostHurried`: those among them that get less time than others. */
export type CommitRules = {
  request: OneSided<Pick<QuoteRequest, 'trade' | 'firmOnly'>>
  terms: CommitTerms
  mostAsked: number
  mostHurried: number
}

/**
 * Bounds a commit's looks at the book. A quote that moves before it can be held, or whose wallet can no longer pay, costs one
 * each and could keep it running forever; honest makers take a handful.
 */
const MOST_ROUNDS = 100

/** A commit begins by looking for what an earlier one left. */
export const COMMIT_BEGUN = {
  at: 'resuming',
  progress: { candidates: [], rounds: 0, hurried: 0, shortfall: null },
} as const

/** Whether a maker that ended so was asked: it has had its chance in this commit, and its quote ranks lower after it. */
export const countsAsMiss = (outcome: Outcome): boolean =>
  outcome === 'missed' || outcome === 'declined' || outcome === 'unreachable'

/** Makers that may still be asked in a hurry: those that the commit has left, and those that the node has. */
export const hurriedLeftOf = (
  { mostHurried }: Pick<CommitRules, 'mostHurried'>,
  { hurried }: Pick<Progress, 'hurried'>,
  { patience }: { patience: number },
): number => Math.min(mostHurried - hurried, patience)

type Step<At extends Stage> = <Judged, Asked, Trade>(
  rules: CommitRules,
  state: StateAt<At, Judged, Asked, Trade>,
  event: CommitEvents<Judged, Asked, Trade>[At],
) => CommitState<Judged, Asked, Trade>

const STEPS: { [At in Stage]: Step<At> } = {
  resuming: (_, { progress }, event) => {
    if (event.kind === 'trade_left') return ended(progress, { kind: 'committed', trade: null })
    if (event.kind === 'nothing_left') return { at: 'choosing', progress }
    const { quote } = event
    return event.kind === 'order_left'
      ? { at: 'asking', progress, quote, asked: event.asked, isHurried: false, isResumed: true }
      : releasing(progress, { quote, isHurried: false }, event)
  },

  choosing: (rules, { progress }, seen) => {
    const { request, terms } = rules
    const { ranked, proven, now } = seen
    const considered = new Set(progress.candidates.map(({ makerId }) => makerId))
    const hurriedLeft = hurriedLeftOf(rules, progress, seen)
    const next = nextCandidate({ request, ranked, terms, considered, proven, hurriedLeft, now })
    if (next.kind === 'ask') {
      const { quote, isHurried } = next
      return { at: 'holding', progress: { ...progress, rounds: progress.rounds + 1 }, quote, isHurried }
    }
    if (considered.size === 0) return ended(progress, { kind: 'no_candidate', reason: next.reason })
    return ended(progress, { kind: 'refused', fault: refusalOf(progress) })
  },

  holding: (rules, { progress, quote, isHurried }, event) => {
    if (event.kind === 'over') return noted(rules, { progress, quote, isHurried }, event)
    const isSame = isSameOffer(event.quote, quote) && event.quote.isFirm === quote.isFirm
    if (!isSame) return releasing(progress, { quote, isHurried }, { outcome: 'changed' })
    return { at: 'judging', progress, quote: event.quote, isHurried }
  },

  judging: (_, { progress, quote, isHurried }, event) =>
    event.kind === 'over'
      ? over(progress, { quote, isHurried }, event)
      : { at: 'storing', progress, quote, isHurried, judged: event.judged },

  storing: (_, { progress, quote, isHurried }, event) =>
    event.kind === 'over'
      ? over(progress, { quote, isHurried }, event)
      : { at: 'asking', progress, quote, isHurried, asked: event.asked, isResumed: false },

  asking: (_, { progress, quote, isHurried }, event) => over(progress, { quote, isHurried }, event),

  releasing: (rules, state) =>
    state.fault === null ? noted(rules, state, state) : ended(state.progress, { kind: 'refused', fault: state.fault }),
}

/**
 * The next state of a commit that has learned `event` in `state`. A commit that is cut off in any state is taken up in
 * `resuming`, on any node.
 */
export function stepCommit<At extends Stage, Judged, Asked, Trade>(
  rules: CommitRules,
  state: StateAt<At, Judged, Asked, Trade>,
  event: CommitEvents<Judged, Asked, Trade>[At],
): CommitState<Judged, Asked, Trade> {
  const { at } = state as { at: At }
  return STEPS[at](rules, state, event)
}

/**
 * The state after an effect that failed. A quote that is held is let go first, but not beside an order of an earlier commit,
 * which may still be signed.
 */
export function failCommit<Judged, Asked, Trade>(
  state: CommitState<Judged, Asked, Trade> & { at: Stage },
  fault: unknown,
): CommitState<Judged, Asked, Trade> {
  const { progress } = state
  const isHeld = state.at === 'judging' || state.at === 'storing' || (state.at === 'asking' && !state.isResumed)
  return isHeld
    ? releasing(progress, state, { outcome: 'changed', fault })
    : ended(progress, { kind: 'refused', fault })
}

type Considered = { quote: QuoteName; isHurried: boolean }

const ended = <Judged, Asked, Trade>(progress: Progress, end: CommitEnd<Trade>): CommitState<Judged, Asked, Trade> => ({
  at: 'ended',
  progress,
  end,
})

/** A confirmed quote stays held until its request is closed. */
const over = <Judged, Asked, Trade>(
  progress: Progress,
  considered: Considered,
  { outcome, shortfall, trade }: Over<Trade>,
): CommitState<Judged, Asked, Trade> =>
  outcome === 'confirmed'
    ? ended(progress, { kind: 'committed', trade: trade ?? null })
    : releasing(progress, considered, { outcome, shortfall: shortfall ?? null })

const releasing = <Judged, Asked, Trade>(
  progress: Progress,
  { quote: { makerId, quoteId }, isHurried }: Considered,
  { outcome, shortfall = null, fault = null }: { outcome: Outcome; shortfall?: RfqError | null; fault?: unknown },
): CommitState<Judged, Asked, Trade> => ({
  at: 'releasing',
  progress,
  quote: { makerId, quoteId },
  isHurried,
  outcome,
  shortfall,
  fault,
})

/** Goes on with the next quote, unless as many makers were asked as may be. */
function noted<Judged, Asked, Trade>(
  { mostAsked }: CommitRules,
  { progress: before, quote: { makerId, quoteId }, isHurried }: Considered & { progress: Progress },
  { outcome, shortfall = null }: { outcome: Outcome; shortfall?: RfqError | null },
): CommitState<Judged, Asked, Trade> {
  if (outcome === 'closed') return ended(before, { kind: 'refused', fault: new RfqError('request_closed') })
  const progress = isOfTaker(outcome)
    ? {
        ...before,
        candidates: [...before.candidates, { makerId, quoteId, outcome }],
        hurried: before.hurried + Number(isHurried && countsAsMiss(outcome)),
        shortfall: before.shortfall ?? shortfall,
      }
    : before
  const asked = progress.candidates.filter((candidate) => countsAsMiss(candidate.outcome)).length
  return asked < mostAsked && progress.rounds < MOST_ROUNDS
    ? { at: 'choosing', progress }
    : ended(progress, { kind: 'refused', fault: refusalOf(progress) })
}

const isOfTaker = (outcome: Outcome): outcome is CandidateOutcome =>
  (CANDIDATE_OUTCOMES as readonly Outcome[]).includes(outcome)

const SHARE_TAKEN =
  "The commit does not show that the wallet is its taker's, and commits that do not have their share of the makers already."

/** Names the makers that were considered. Where none was asked, `proof_required` comes first: the one refusal that the taker can fix alone. */
function refusalOf({ candidates, shortfall }: Progress): RfqError {
  const named = { candidates: candidates.slice(0, MAX_CANDIDATES_NAMED) }
  const has = (outcome: Outcome) => candidates.some((candidate) => candidate.outcome === outcome)
  if (!candidates.some(({ outcome }) => countsAsMiss(outcome))) {
    if (has('unproven')) return new RfqError('proof_required', { detail: SHARE_TAKEN, data: named })
    if (shortfall !== null) {
      const { code, message: detail, data } = shortfall
      return new RfqError(code, { detail, data: { ...data, ...named } })
    }
    if (has('withdrawn')) return new RfqError('no_valid_quotes', { data: named })
  }
  return new RfqError('no_maker_confirmed', { data: named })
}
