import type { AuditEntry, SeenQuote } from './audit.ts'
import type { Order } from './order.ts'
import { premiumOf } from './quote.ts'
import { type Usd6, usd6 } from './units.ts'

/** Durations in milliseconds, each kept to two significant digits. */
export type Durations = {
  /** Number of durations. */
  count: number
  /** The median; null without any. */
  p50Ms: number | null
  /** The shortest that 19 of 20 do not exceed; null without any. */
  p95Ms: number | null
}

/** Quality of a maker's service in a month, by the entries of the transparency log. */
export type Quality = {
  /** Requests opened in the month that had a commit, and that the maker quoted on. */
  requests: number
  /** From their opening to its first quote. */
  response: Durations
  /** Orders that it was asked to sign. */
  asked: number
  /** Orders that it signed, those of firm quotes beforehand. */
  signed: number
  /** Orders that it declined to sign. */
  declined: number
  /** Orders that it did not sign in time. */
  missed: number
  /** From the ask to its answer; to the deadline, where it gave none. */
  held: Durations
  /** Orders that were filled. */
  filled: number
  /**
   * Number of `trades` that it won with another maker's quote behind its own, and the `amount` that their takers paid less, or got
   * more, than by that one. Of a relay all but its operator see full tens of trades alone.
   */
  improvement: { trades: number; amount: Usd6 }
}

/** Quality of one maker, under a name by which others do not find it. */
export type MakerQuality = Quality & {
  /** Name in place of the maker's, always the same. */
  pseudonym: string
  /** Shown to the operator, and to the maker itself; else null. */
  makerId: string | null
}

/** Quality of one maker by its name, and the part of `improvement` that shows no single price. */
export type MonthOfMaker = { makerId: string; quality: Quality; improvementInTens: Quality['improvement'] }

/** Quality of the makers in a month, as far as the transparency log has been read. */
export type QualityReport = {
  /** The month, as `2027-01` of UTC. */
  month: string
  /** The first leaf of the log that the figures have. */
  from: number
  /** The leaf after the last one that they have. */
  to: number
  /** The most active first, at most 500. */
  makers: readonly MakerQuality[]
}

/** Requests whose later entries find their earlier ones, makers of a month that have figures, and those that are shown. */
const MOST_REQUESTS = 10_000
const MOST_MAKERS = 10_000
const MOST_SHOWN = 500

/** Trades of a maker whose gains are shown as one sum: with one alone it knows the price of the maker that lost to it. */
const SHOWN_AT_ONCE = 10

type Of<Kind extends AuditEntry['kind']> = Extract<AuditEntry, { kind: Kind }>

/** The state of a request so far. */
type Progress = {
  openedAt: number | null
  hasCommit: boolean
  /** Times of first quotes that do not count yet, by maker. */
  answered: Map<string, number>
  asks: Map<string, Of<'asked'>>
  choice: Choice | null
}

/** The quote that the last look turned to, and the price of the next one of another maker. */
type Choice = { won: SeenQuote; nextPrice: Usd6 }

/** Counts of durations by their rounded value. */
type Histogram = Map<number, number>

type Counts = Omit<Quality, 'response' | 'held' | 'improvement'> & {
  response: Histogram
  held: Histogram
  trades: number
  improved: bigint
  /** The gain of as many tens of trades as there are. */
  improvedInTens: bigint
}

/**
 * Adds up the quality of makers from entries of the transparency log, each request's in their order; the order of requests is of no
 * matter. The relay and a reader of all its transcripts come to the same figures.
 */
export function createQuality() {
  const months = new Map<string, Map<string, Counts>>()
  const requests = new Map<string, Progress>()

  function countsOf(makerId: string, at: number): Counts {
    const month = monthOf(at)
    const makers = months.get(month) ?? new Map<string, Counts>()
    months.set(month, makers)
    const counts = makers.get(makerId) ?? newCounts()
    if (makers.size < MOST_MAKERS) makers.set(makerId, counts)
    return counts
  }

  function progressOf(requestId: string): Progress {
    const found = requests.get(requestId)
    if (found !== undefined) return found
    const begun: Progress = { openedAt: null, hasCommit: false, answered: new Map(), asks: new Map(), choice: null }
    requests.set(requestId, begun)
    if (requests.size > MOST_REQUESTS) requests.delete(requests.keys().next().value as string)
    return begun
  }

  /** First quotes count once the request has a commit: the log of one node has no other ones. */
  function countAnswers({ openedAt, hasCommit, answered }: Progress): void {
    if (openedAt === null || !hasCommit) return
    for (const [makerId, at] of answered) {
      const counts = countsOf(makerId, openedAt)
      counts.requests += 1
      note(counts.response, at - openedAt)
    }
    answered.clear()
  }

  function addConfirmed(entry: Of<'confirmed'>, { asks, choice }: Progress): void {
    const { makerId, quoteId, waitedMs, at } = entry
    const counts = countsOf(makerId, at)
    const ask = asks.get(quoteId)
    counts.signed += 1
    // The order of a firm quote was signed before any commit.
    if (ask !== undefined) note(counts.held, waitedMs)
    const order = entry.order ?? ask?.order
    if (order === undefined || choice?.won.quoteId !== quoteId) return
    counts.trades += 1
    counts.improved += improvementOf(choice, order)
    if (counts.trades % SHOWN_AT_ONCE === 0) counts.improvedInTens = counts.improved
  }

  /** It may be entered again after a crash. */
  function addAsked(entry: Of<'asked'>, { asks }: Progress): void {
    if (asks.get(entry.quoteId)?.deadline === entry.deadline) return
    asks.set(entry.quoteId, entry)
    countsOf(entry.makerId, entry.at).asked += 1
  }

  function addDeclined({ makerId, at, waitedMs }: Of<'declined'>): void {
    const counts = countsOf(makerId, at)
    counts.declined += 1
    note(counts.held, waitedMs)
  }

  function addMissed({ makerId, at, quoteId }: Of<'missed'>, { asks }: Progress): void {
    const counts = countsOf(makerId, at)
    const ask = asks.get(quoteId)
    counts.missed += 1
    if (ask !== undefined) note(counts.held, ask.deadline - ask.at)
  }

  function add(entry: AuditEntry): void {
    const progress = progressOf(entry.requestId)
    switch (entry.kind) {
      case 'opened':
        progress.openedAt ??= entry.at
        break
      case 'quoted':
        if (!entry.isRequote) progress.answered.set(entry.quote.makerId, entry.at)
        break
      case 'commit_started':
        progress.hasCommit = true
        break
      case 'ranked':
        progress.choice = choiceOf(entry)
        break
      case 'asked':
        addAsked(entry, progress)
        break
      case 'declined':
        addDeclined(entry)
        break
      case 'missed':
        addMissed(entry, progress)
        break
      case 'confirmed':
        addConfirmed(entry, progress)
        break
      case 'order_filled':
        countsOf(entry.makerId, entry.at).filled += 1
        break
      default:
    }
    countAnswers(progress)
  }

  return {
    add,
    /** Months with figures, the newest first. */
    months: (): readonly string[] => [...months.keys()].sort().reverse(),
    /** Makers of a month, the most active first, at most 500. `improvementInTens` is for makers and strangers: it leaves out the last trades, up to nine. */
    ofMonth: (month: string): readonly MonthOfMaker[] =>
      [...(months.get(month) ?? [])]
        .sort(([aId, a], [bId, b]) => b.filled - a.filled || b.requests - a.requests || (aId < bId ? -1 : 1))
        .slice(0, MOST_SHOWN)
        .map(([makerId, counts]) => ({
          makerId,
          quality: qualityOf(counts),
          improvementInTens: {
            trades: counts.trades - (counts.trades % SHOWN_AT_ONCE),
            amount: usd6(counts.improvedInTens),
          },
        })),
  }
}

/** Null where no other maker's quote was behind the chosen one. */
function choiceOf({ quotes, chosen }: Of<'ranked'>): Choice | null {
  const place = quotes.findIndex(({ quoteId }) => quoteId === chosen)
  const won = quotes[place]
  if (won === undefined) return null
  const next = quotes.slice(place + 1).find(({ makerId, isConsidered }) => makerId !== won.makerId && !isConsidered)
  return next === undefined ? null : { won, nextPrice: next.price }
}

/** Gain of the taker beside the next quote of another maker, micro-dollars. */
function improvementOf({ won, nextPrice }: Choice, { optionAmount }: Order): bigint {
  const more = premiumOf(optionAmount, nextPrice) - premiumOf(optionAmount, won.price)
  return won.side === 'buy' ? more : -more
}

/** The month of a time, Unix milliseconds, as `2027-01` of UTC. */
export const monthOf = (at: number): string => new Date(at).toISOString().slice(0, 7)

const newCounts = (): Counts => ({
  requests: 0,
  response: new Map(),
  asked: 0,
  signed: 0,
  declined: 0,
  missed: 0,
  held: new Map(),
  filled: 0,
  trades: 0,
  improved: 0n,
  improvedInTens: 0n,
})

const qualityOf = ({ response, held, trades, improved, improvedInTens: _, ...counts }: Counts): Quality => ({
  ...counts,
  response: durationsOf(response),
  held: durationsOf(held),
  improvement: { trades, amount: usd6(improved) },
})

/** Two digits say enough, and bound what is kept: some 90 numbers for each factor of ten. */
function note(histogram: Histogram, ms: number): void {
  const whole = Math.max(0, Math.round(ms))
  const unit = 10 ** Math.max(0, String(whole).length - 2)
  const rounded = Math.round(whole / unit) * unit
  histogram.set(rounded, (histogram.get(rounded) ?? 0) + 1)
}

function durationsOf(histogram: Histogram): Durations {
  const sorted = [...histogram].sort(([a], [b]) => a - b)
  const count = sorted.reduce((sum, [, times]) => sum + times, 0)
  return { count, p50Ms: quantile(sorted, count * 0.5), p95Ms: quantile(sorted, count * 0.95) }
}

/** The smallest value that at least `rank` of the values do not exceed. */
function quantile(sorted: readonly (readonly [ms: number, times: number])[], rank: number): number | null {
  let seen = 0
  for (const [ms, times] of sorted) {
    seen += times
    if (seen >= rank) return ms
  }
  return null
}
