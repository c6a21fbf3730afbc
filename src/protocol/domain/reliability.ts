/** A fact about a maker's reliability. `at` is Unix milliseconds, `waitedMs` runs from the ask to the answer. */
export type MakerFact = { at: number } & (
  | { kind: 'quoted'; isRequote: boolean }
  | { kind: 'quote_refused'; code: string; detail: string }
  | { kind: 'asked' }
  /** `order`: it was not asked, but had signed beforehand. */
  | { kind: 'confirmed'; waitedMs: number; order?: unknown }
  | { kind: 'declined'; waitedMs: number }
  | { kind: 'missed' }
  | { kind: 'passed_over'; code: string; detail: string }
)

/** A refusal of a maker's quote, or the reason that a commit passed it over. */
export type MakerRefusal = {
  /** Time, Unix milliseconds. */
  at: number
  /** The code of docs/reference/errors.md. */
  code: string
  /** The sentence. */
  detail: string
}

/** A maker's activity since the relay started. `waits` are its newest confirm latencies, milliseconds. */
export type MakerActivity = {
  /** Quotes taken into the book, re-quotes included. */
  quotes: number
  /** Requests that it quoted on. */
  answered: number
  refused: number
  /** Orders that it was asked to sign, or had signed beforehand. */
  asked: number
  confirmed: number
  declined: number
  /** Misses other than declines: orders left unanswered, and asks that found it without a socket (decision C5). */
  missed: number
  lastQuoteAt: number | null
  lastRefusal: MakerRefusal | null
  waits: readonly number[]
}

/** A maker that has done nothing yet. */
export const NEW_MAKER: MakerActivity = {
  quotes: 0,
  answered: 0,
  refused: 0,
  asked: 0,
  confirmed: 0,
  declined: 0,
  missed: 0,
  lastQuoteAt: null,
  lastRefusal: null,
  waits: [],
}

/** Enough latencies for a p99, and few enough to be recent. */
const WAITS_KEPT = 100

/** Confirmations that a maker is credited with before its first, so that one early miss does not condemn it. */
const CREDIT = 2

/** The record after one more fact. */
export function afterFact(record: MakerActivity, fact: MakerFact): MakerActivity {
  switch (fact.kind) {
    case 'quoted':
      return afterQuote(record, fact)
    case 'quote_refused':
      return { ...record, refused: record.refused + 1, lastRefusal: refusalOf(fact) }
    case 'asked':
      return { ...record, asked: record.asked + 1 }
    case 'confirmed':
      if (fact.order !== undefined) return { ...record, asked: record.asked + 1, confirmed: record.confirmed + 1 }
      return {
        ...record,
        confirmed: record.confirmed + 1,
        waits: [...record.waits.slice(1 - WAITS_KEPT), fact.waitedMs],
      }
    case 'declined':
      return { ...record, declined: record.declined + 1 }
    case 'missed':
      return { ...record, missed: record.missed + 1 }
    case 'passed_over': {
      const isMiss = fact.code === 'maker_unreachable'
      return { ...record, missed: record.missed + (isMiss ? 1 : 0), lastRefusal: refusalOf(fact) }
    }
  }
}

/** Written out, since nearly every fact is a quote: a copy by spreading was 4 % of all that a quote cost. */
function afterQuote(record: MakerActivity, { at, isRequote }: { at: number; isRequote: boolean }): MakerActivity {
  const { quotes, answered, refused, asked, confirmed, declined, missed, lastRefusal, waits } = record
  return {
    quotes: quotes + 1,
    answered: answered + (isRequote ? 0 : 1),
    refused,
    asked,
    confirmed,
    declined,
    missed,
    lastQuoteAt: at,
    lastRefusal,
    waits,
  }
}

/** One record from those that several nodes have of a maker. The waits are kept in the order of the records. */
export const sumRecords = (records: readonly [MakerActivity, ...MakerActivity[]]): MakerActivity =>
  records.reduce((sum, record) => ({
    quotes: sum.quotes + record.quotes,
    answered: sum.answered + record.answered,
    refused: sum.refused + record.refused,
    asked: sum.asked + record.asked,
    confirmed: sum.confirmed + record.confirmed,
    declined: sum.declined + record.declined,
    missed: sum.missed + record.missed,
    lastQuoteAt: later(sum.lastQuoteAt, record.lastQuoteAt),
    lastRefusal: (record.lastRefusal?.at ?? 0) > (sum.lastRefusal?.at ?? 0) ? record.lastRefusal : sum.lastRefusal,
    waits: [...sum.waits, ...record.waits].slice(-WAITS_KEPT),
  }))

/** The share of requests it quoted on in which it was asked to sign, 0..1; null before the first. */
export const hitRate = ({ asked, answered }: MakerActivity): number | null => (answered === 0 ? null : asked / answered)

/**
 * Reliability of a maker's quotes, 0..100: the share of its asks that ended in a confirmation, smoothed by a credit; null before
 * the first.
 */
export const reliabilityScore = ({ confirmed, declined, missed }: MakerActivity): number | null =>
  smoothedScore(confirmed, confirmed + declined + missed)

/** The nearest-rank percentile of some figures, `share` in (0, 1]; null for none. */
export function percentile(figures: readonly number[], share: number): number | null {
  const ascending = [...figures].sort((a, b) => a - b)
  return ascending[Math.ceil(share * ascending.length) - 1] ?? null
}

/** The share of promises that were kept, 0..100, with the credit; null without promises. */
export const smoothedScore = (kept: number, promises: number): number | null =>
  promises === 0 ? null : Math.round((100 * (kept + CREDIT)) / (promises + CREDIT))

const later = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b)

const refusalOf = ({ at, code, detail }: MakerRefusal): MakerRefusal => ({ at, code, detail })

/**
 * Rule by which a maker is demoted, which ranks its quotes behind all others: after `misses` missed confirmations without one in
 * time between them, each within `windowMs` milliseconds of the one before. A confirmation ends it, and so does the window after
 * the last miss.
 */
export type DemotionRule = { misses: number; windowMs: number }

/** The misses of a maker since its last confirmation, over all requests; they are forgotten at `until`, Unix milliseconds. */
export type MissStreak = { misses: number; until: number }

/** A maker that is demoted, with the end of its demotion. */
export type DemotedMaker = { makerId: string; until: number }

/** The streak after one more miss. */
export const afterMiss = (streak: MissStreak | undefined, now: number, { windowMs }: DemotionRule): MissStreak => ({
  misses: streak === undefined || streak.until <= now ? 1 : streak.misses + 1,
  until: now + windowMs,
})

/** Whether a streak demotes its maker now. */
export const isDemotedBy = (streak: MissStreak | undefined, now: number, { misses }: DemotionRule): boolean =>
  streak !== undefined && streak.until > now && streak.misses >= misses
