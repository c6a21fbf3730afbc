import type { Assert } from './invariants.ts'
import type { Moment, ObservationOf, OrderSent, QuoteSeen } from './observation.ts'

/** Observations of V11 and V16: what makers have the relay hold for them, and who is there. */
type Told = ObservationOf<'protections_put' | 'protections_reset' | 'maker_gone' | 'maker_back'>

/** Checks V11, and what of V16 is about makers that are gone, as observations come. */
export type ProtectionChecker = {
  observe: (observation: Told) => void
  /** A maker was asked; `quotes` are those of the request so far. */
  ask: (sent: OrderSent, quotes: readonly QuoteSeen[]) => void
  /** A quote was withdrawn. */
  withdraw: (withdrawn: ObservationOf<'quote_withdrawn'>) => void
}

type Counted = { moment: Moment; contracts: bigint; notional: bigint; isProven: boolean | undefined }

/**
 * From when until when a maker was gone; null: it still is. One that wants both channels is gone once for each that it lacks, since
 * each has its own grace: it is not gone for longer by losing one a moment before it has the other again (protocol protect-1).
 * `knownAt`: from when on the relay can know, Unix milliseconds.
 */
type Absence = { channel: 'stream' | 'socket' | undefined; from: Moment; knownAt: number; until: Moment | null }

type Maker = {
  /** The first time that it put what it has. */
  put: ObservationOf<'protections_put'> | null
  /** From when on its windows count; null: it has none. */
  countedFrom: Moment | null
  /** What was asked of it since, by time. */
  counted: Counted[]
  absences: Absence[]
}

/** Orders are counted for a day. */
const REMEMBERED_MS = 24 * 3_600_000

/** Absences of a maker that a late observation may still be about. */
const ABSENCES_REMEMBERED = 100

/** Orders that may come again. */
const ORDERS_REMEMBERED = 100_000

/** A checker that has observed nothing. News may take `lagMs` until they are observed. */
export function createProtectionChecker(
  assert: Assert,
  { lagMs, isOrdered }: { lagMs: number; isOrdered: boolean },
): ProtectionChecker {
  const isExact = lagMs === 0
  const makers = new Map<string, Maker>()
  /** An order comes again with each connection of its maker. */
  const known = new Set<string>()

  /** Whether one moment was surely no earlier than another one. */
  const isSurelyAfter = (moment: Moment, since: Moment): boolean =>
    isExact ? moment.order >= since.order : moment.at - lagMs >= since.at

  const isEarlier = (a: Moment, b: Moment): boolean => (isExact ? a.order < b.order : a.at < b.at)

  function makerOf(makerId: string): Maker {
    const maker = makers.get(makerId) ?? { put: null, countedFrom: null, counted: [], absences: [] }
    makers.set(makerId, maker)
    return maker
  }

  function put(observation: ObservationOf<'protections_put'>): void {
    const maker = makerOf(observation.makerId)
    if (maker.put !== null && isSameRule(maker.put, observation)) return
    const had = (maker.put?.windows.length ?? 0) > 0
    if (observation.windows.length === 0) maker.countedFrom = null
    else if (!had) countAgain(maker, observation.moment)
    maker.put = observation
  }

  /**
   * From here on nothing of before counts. Windows begin so also where a maker had taken the former ones off: it asked for no bound
   * then, so that what it was asked before is no more held against the new ones than what any maker was asked before its first
   * (protocol protect-4).
   */
  function countAgain(maker: Maker, from: Moment): void {
    maker.counted = []
    maker.countedFrom = from
  }

  function isNews({ requestId, quoteId, deadline }: OrderSent): boolean {
    const key = `${requestId} ${quoteId} ${deadline}`
    if (known.has(key)) return false
    known.add(key)
    const [oldest] = known
    if (known.size > ORDERS_REMEMBERED && oldest !== undefined) known.delete(oldest)
    return true
  }

  function ask(sent: OrderSent, quotes: readonly QuoteSeen[]): void {
    const { makerId, asked, counted = asked } = sent
    const maker = makers.get(makerId)
    if (maker?.put == null || sent.isTakenBack === true || !isNews(sent)) return
    count(maker, sent)
    // What was decided before the protections stood is not held against them.
    if (!isSurelyAfter(counted, maker.put.moment)) return
    checkPresence(maker, sent, quotes)
    checkWindows(maker, sent)
  }

  function count(
    { countedFrom, counted }: Maker,
    { order, isProven, asked, counted: moment = asked }: OrderSent,
  ): void {
    if (countedFrom === null || !isSurelyAfter(moment, countedFrom)) return
    const one = { moment, isProven, contracts: BigInt(order.optionAmount), notional: BigInt(order.premiumAmount) }
    const later = counted.findIndex((other) => other.moment.at > moment.at)
    counted.splice(later === -1 ? counted.length : later, 0, one)
    const kept = counted.findIndex((other) => other.moment.at > moment.at - REMEMBERED_MS)
    counted.splice(0, kept)
  }

  function checkPresence({ put, absences }: Maker, sent: OrderSent, quotes: readonly QuoteSeen[]): void {
    const { requestId, makerId, quoteId, asked, counted = asked } = sent
    if (put === null || put.graceMs === null) return
    const { graceMs } = put
    // The relay looks once more after it has decided: where its moments are known, that look counts.
    const when = isExact ? asked : counted
    const isBefore = (moment: Moment) => isEarlier(when, moment)
    // It is gone only if it was seen to be back afterwards, and is so by the clocks, which may differ.
    const isBack = (moment: Moment) => !isBefore(moment) || (isOrdered && moment.order < when.order)
    // Without a grace it is gone from the very moment in which it went, though not from earlier in the same millisecond.
    // After a loss of the live market all are gone since 0: the order tells from when on that was so.
    const isGone = absences.some(
      ({ from, knownAt, until }) =>
        !(from.at === 0 ? when.order < from.order : isBefore(from)) &&
        when.at - lagMs >= Math.max(from.at + graceMs, knownAt) &&
        (until === null || !isBack(until)),
    )
    assert('V11', requestId, !isGone, () => `${makerId} was asked although it was gone for longer than its grace`)
    const quote = quotes.findLast((one) => one.quoteId === quoteId && one.makerId === makerId && !isBefore(one.sent))
    // Of one without an answer it is not known whether it took its place; it would have the same id.
    const isPerhapsReplaced = quotes.some(
      (one) =>
        one.makerId === makerId &&
        one.quoteId === null &&
        !isBefore(one.sent) &&
        quote !== undefined &&
        isEarlier(quote.sent, one.sent),
    )
    if (!isExact && isPerhapsReplaced) return
    const isGhost = absences.some(
      ({ from, knownAt, until }) =>
        until !== null &&
        quote?.answered != null &&
        isSurelyAfter(from, put.moment) &&
        isEarlier(quote.answered, from) &&
        until.at - lagMs >= Math.max(from.at + graceMs, knownAt) &&
        isSurelyAfter(when, until),
    )
    assert('V11', requestId, !isGhost, () => `${makerId} was asked for a quote from before it was gone for too long`)
  }

  function withdraw({ requestId, goneMaker, sent, judgedAt = sent.at }: ObservationOf<'quote_withdrawn'>): void {
    if (goneMaker === undefined) return
    const judged = { ...sent, at: judgedAt }
    const { put = null, absences = [] } = makers.get(goneMaker) ?? {}
    const graceMs = put?.graceMs ?? null
    // A sweep by the protections that the maker had before may be on its way when it puts others.
    const newest = absences.at(-1)
    if (put !== null && newest !== undefined && isEarlier(newest.from, put.moment)) return
    const isGone = absences.some(
      ({ from, until }) =>
        graceMs !== null &&
        !isEarlier(judged, from) &&
        judgedAt >= from.at + graceMs &&
        (until === null || isEarlier(judged, until)),
    )
    assert(
      'V16',
      requestId,
      isGone,
      () => `${goneMaker} lost its quote on ${requestId} as if it were gone, and was not`,
    )
  }

  function checkWindows({ put, counted: all }: Maker, { requestId, makerId, asked, counted = asked }: OrderSent): void {
    for (const window of put?.windows ?? []) {
      const length = window.ms - lagMs
      for (const { moment: last, isProven } of all) {
        if (last.at < counted.at || last.at >= counted.at + length) continue
        const within = all.filter(({ moment }) => moment.at > last.at - length && moment.at <= last.at)
        const holds = keepsTo(window, within, 1)
        assert('V11', requestId, holds, () => `${makerId} was asked ${within.length} times within ${window.ms} ms`)
        if (isProven !== false) continue
        const unproven = within.filter((one) => one.isProven === false)
        const sentence = () => `${makerId} was asked ${unproven.length} times within ${window.ms} ms without a proof`
        assert('V11', requestId, keepsTo(window, unproven, 4), sentence)
      }
    }
  }

  function note(observation: Exclude<Told, { kind: 'protections_put' }>): void {
    const { kind, makerId, moment } = observation
    const maker = makerOf(makerId)
    if (kind === 'protections_reset') {
      if (maker.countedFrom !== null) countAgain(maker, moment)
      return
    }
    const { channel } = observation
    const knownAt = kind === 'maker_gone' ? (observation.knownAt ?? moment.at) : moment.at
    const last = maker.absences.findLast((absence) => absence.channel === channel)
    const isGone = last !== undefined && last.until === null
    if (kind === 'maker_gone' && !isGone) maker.absences.push({ channel, from: moment, knownAt, until: null })
    if (kind === 'maker_back' && isGone) last.until = moment
    if (maker.absences.length > ABSENCES_REMEMBERED) maker.absences.shift()
  }

  return {
    ask,
    withdraw,
    observe: (observation) => (observation.kind === 'protections_put' ? put(observation) : note(observation)),
  }
}

/** Whether two have put the same: who puts it again has had it all along. */
type Window = ObservationOf<'protections_put'>['windows'][0]

/** Whether what was asked is within one of so many equal shares of a window. */
function keepsTo(
  { maxAccepted, maxContracts, maxNotional }: Window,
  asked: readonly Counted[],
  shares: number,
): boolean {
  const sum = (amount: 'contracts' | 'notional') => asked.reduce((total, one) => total + one[amount], 0n)
  return (
    (maxAccepted === null || asked.length * shares <= maxAccepted) &&
    (maxContracts === null || sum('contracts') * BigInt(shares) <= maxContracts) &&
    (maxNotional === null || sum('notional') * BigInt(shares) <= maxNotional)
  )
}

function isSameRule(a: ObservationOf<'protections_put'>, b: ObservationOf<'protections_put'>): boolean {
  const textOf = ({ windows, graceMs }: typeof a) =>
    [graceMs, ...windows.flatMap((window) => [window.ms, window.maxAccepted, window.maxContracts, window.maxNotional])]
      .map(String)
      .join(' ')
  return textOf(a) === textOf(b)
}
