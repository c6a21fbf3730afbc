import type { ApartMs } from './clocks-apart.ts'
import type { Assert } from './invariants.ts'
import type { Moment, Observation, ObservationOf, OrderSent, OutcomeSeen, QuoteSeen } from './observation.ts'

/** Observations of V12: what a maker was asked and answered, what the relay did, and what its record says of that. */
type Told = ObservationOf<
  | 'request_opened'
  | 'quote'
  | 'commit'
  | 'order_sent'
  | 'confirm'
  | 'declined'
  | 'passed_over'
  | 'order_ended'
  | 'wallet_emptied'
  | 'relay_killed'
  | 'maker_gone'
  | 'maker_left'
  | 'maker_suspended'
  | 'maker_reinstated'
  | 'record_read'
  | 'records_compared'
>

/** Checks V12 as observations come. */
export type RecordChecker = {
  observe: (observation: Told) => void
  /** Judges the records that were read: what they are about may have been observed later. */
  finish: () => void
}

/** What is known of a quote that was committed to. */
type Asked = {
  sent: OrderSent[]
  confirms: ObservationOf<'confirm'>[]
  declines: ObservationOf<'declined'>[]
  wasLongGone: boolean
  wasCancelled: boolean
}

type Suspended = { from: Moment; until: number; ended: Moment | null; because: readonly OutcomeSeen[] | null }

type Maker = {
  suspensions: Suspended[]
  /** The newest orders and quotes of it: a suspension may be heard of after them. */
  asked: OrderSent[]
  quotes: QuoteSeen[]
  /** When it disconnected. */
  departures: Moment[]
}

/** Quotes and requests that a record may still be about. */
const REMEMBERED = 100_000

/** Of each maker: orders, quotes and departures. */
const NEWEST = 1_000

/** What a record can count where there is no chain. */
const WITHOUT_CHAIN = ['confirmed', 'missed', 'declined']

/** A checker that has observed nothing. News may take `lagMs` until they are observed. */
export function createRecordChecker(
  assert: Assert,
  { lagMs, hasChain, apartMs = () => 0 }: { lagMs: number; hasChain: boolean; apartMs?: ApartMs },
): RecordChecker {
  const isExact = lagMs === 0
  const quotes = new Map<string, Asked>()
  const makers = new Map<string, Maker>()
  const commits = new Map<string, ObservationOf<'commit'>[]>()
  /** Requests that do not name a wallet: a maker may decline their takers. */
  const walletless = new Map<string, true>()
  const records = new Map<string, ObservationOf<'record_read'>>()
  const kills: ObservationOf<'relay_killed'>[] = []
  let isAnyEmptied = false

  const isBefore = (a: Moment, b: Moment): boolean => (isExact ? a.order < b.order : a.at + lagMs < b.at)

  const askedOf = ({ quoteId }: { quoteId: string }): Asked =>
    known(quotes, quoteId, () => ({ sent: [], confirms: [], declines: [], wasLongGone: false, wasCancelled: false }))

  const makerOf = ({ makerId }: { makerId: string }): Maker =>
    known(makers, makerId, () => ({ suspensions: [], asked: [], quotes: [], departures: [] }))

  const isLost = (status: number) => status === 0 || status >= 500
  const isTaken = ({ status }: { status: number }) => status === 200 || isLost(status)

  const isWrong = (one: Asked['confirms'][number] | Asked['declines'][number]): boolean =>
    one.kind === 'confirm' && (one.status === 400 || one.isWrong === true)

  /** Whether a maker was gone within that time, Unix milliseconds. */
  const hasLeft = (makerId: string, from: number, until: number): boolean =>
    makerOf({ makerId }).departures.some(({ at }) => at >= from && at <= until)

  /** An answer came before its deadline: it was taken, or was sent well before, by a maker that was there to hear of it. */
  const isInTime = (sent: OrderSent, one: Asked['confirms'][number] | Asked['declines'][number]): boolean =>
    !isWrong(one) &&
    one.isLost !== true &&
    !isBefore(one.sent, sent.counted ?? sent.asked) &&
    one.sent.at < sent.deadline &&
    (one.status === 200 || one.sent.at < sent.deadline - lagMs - apartMs(one.sent.at)) &&
    !(one.status === 0 && hasLeft(one.makerId, one.sent.at, sent.deadline))

  /** The maker had its time, and the relay was there to take an answer that did not come; it may be slow to take one. */
  const isMiss = (sent: OrderSent, { confirms, declines }: Asked): boolean =>
    ![...confirms, ...declines].some((one) => isInTime(sent, one)) &&
    !kills.some(({ moment }) => !isBefore(moment, sent.counted ?? sent.asked) && moment.at < sent.deadline)

  /**
   * An order that a maker was killed with before it read it: it left while the commit went on. What no one was there to be told is
   * not a miss, so one that was gone before and stayed away has none.
   */
  const isUnheard = (makerId: string, { requestId }: OutcomeSeen): boolean =>
    !isExact &&
    (commits.get(requestId) ?? []).some(({ sent, answered }) =>
      hasLeft(makerId, sent.at - lagMs, answered?.at ?? Number.POSITIVE_INFINITY),
    )

  const REASONS: Readonly<Record<string, (asked: Asked, makerId: string, outcome: OutcomeSeen) => boolean>> = {
    confirmed: ({ confirms }) => confirms.some(isTaken),
    declined: ({ declines }, _makerId, { requestId }) => !walletless.has(requestId) && declines.some(isTaken),
    missed: (asked, makerId, outcome) =>
      asked.wasLongGone ||
      asked.sent.some((sent) => isMiss(sent, asked)) ||
      (asked.sent.length === 0 && isUnheard(makerId, outcome)),
    bad_signature: ({ confirms }) => confirms.some((one) => isWrong(one) || isLost(one.status)),
    // Only a wallet that was emptied falls short by itself, and not for what it has signed.
    insolvent: () => isAnyEmptied,
    cancelled: ({ wasCancelled }) => wasCancelled,
    defunded: () => isAnyEmptied,
  }

  const isSo = (makerId: string, outcome: OutcomeSeen): boolean =>
    (hasChain || WITHOUT_CHAIN.includes(outcome.outcome)) &&
    REASONS[outcome.outcome]?.(askedOf(outcome), makerId, outcome) === true

  function judge({ makerId, outcomes }: ObservationOf<'record_read'>): void {
    const counted = new Set<string>()
    for (const about of outcomes) {
      const { requestId, quoteId, outcome } = about
      const name = `${quoteId} ${outcome}`
      assert(
        'V12',
        requestId,
        !counted.has(name),
        () => `the record of ${makerId} counts ${outcome} of ${quoteId} twice`,
      )
      counted.add(name)
      assert(
        'V12',
        requestId,
        isSo(makerId, about),
        () => `the record of ${makerId} counts ${outcome} of ${quoteId}, which it did not do`,
      )
    }
  }

  function judgeSuspension(makerId: string, because: readonly OutcomeSeen[]): void {
    assert('V12', null, because.length > 0, () => `${makerId} was suspended for nothing`)
    for (const about of because) {
      const { requestId, quoteId, outcome } = about
      const holds = outcome !== 'confirmed' && isSo(makerId, about)
      assert(
        'V12',
        requestId,
        holds,
        () => `${makerId} was suspended for ${outcome} of ${quoteId}, which it did not do`,
      )
    }
  }

  const holdsBack = ({ from, until, ended }: Suspended, moment: Moment): boolean =>
    isBefore(from, moment) && moment.at < until - lagMs && (ended === null || isBefore(moment, ended))

  function checkAsked(sent: OrderSent, suspensions: readonly Suspended[]): void {
    const { requestId, makerId, asked, counted = asked } = sent
    const isHeldBack = suspensions.some((one) => holdsBack(one, counted))
    assert('V12', requestId, !isHeldBack, () => `${makerId} was asked while it was suspended`)
  }

  /** From outside: a node that has not heard of a suspension takes a quote, and out again when it does. */
  function checkQuoted({ requestId, makerId, sent, answered }: QuoteSeen, suspensions: readonly Suspended[]): void {
    if (isExact || answered === null) return
    const isHeldBack = suspensions.some((one) => holdsBack(one, sent) && holdsBack(one, answered))
    assert('V12', requestId, !isHeldBack, () => `a quote of ${makerId} was taken while it was suspended`)
  }

  function suspend({ makerId, until, moment, because }: ObservationOf<'maker_suspended'>): void {
    const { suspensions, asked, quotes: quoted } = makerOf({ makerId })
    if (suspensions.some((one) => one.until === until)) return
    const suspension = { from: moment, until, ended: null, because: because ?? null }
    suspensions.push(suspension)
    // What was observed before it was heard of is held against this one only.
    for (const sent of asked) if ((sent.counted ?? sent.asked).at > moment.at) checkAsked(sent, [suspension])
    for (const quote of quoted) if (quote.sent.at > moment.at) checkQuoted(quote, [suspension])
  }

  const depart = ({ moment, ...maker }: ObservationOf<'maker_gone' | 'maker_left'>): void =>
    addNewest(makerOf(maker).departures, moment)

  const handlers: { [Kind in Told['kind']]: (observation: ObservationOf<Kind>) => void } = {
    request_opened: ({ requestId, namesWallet }) => {
      if (namesWallet === false) known(walletless, requestId, () => true)
    },
    quote: (quote) => {
      if (quote.quoteId === null || quote.isRefused) return
      const maker = makerOf(quote)
      addNewest(maker.quotes, quote)
      checkQuoted(quote, maker.suspensions)
    },
    commit: (commit) => void known(commits, commit.requestId, () => []).push(commit),
    order_sent: (sent) => {
      const maker = makerOf(sent)
      addNewest(maker.asked, sent)
      checkAsked(sent, maker.suspensions)
      askedOf(sent).sent.push(sent)
    },
    confirm: (confirm) => void askedOf(confirm).confirms.push(confirm),
    declined: (decline) => void askedOf(decline).declines.push(decline),
    passed_over: (passed) => {
      if (passed.isLongGone === true) askedOf(passed).wasLongGone = true
    },
    order_ended: (ended) => {
      if (ended.state === 'cancelled') askedOf(ended).wasCancelled = true
    },
    wallet_emptied: () => {
      isAnyEmptied = true
    },
    relay_killed: (kill) => void kills.push(kill),
    maker_gone: depart,
    maker_left: depart,
    maker_suspended: suspend,
    maker_reinstated: ({ makerId, moment }) => {
      const last = makerOf({ makerId }).suspensions.at(-1)
      if (last !== undefined) last.ended = moment
    },
    record_read: (record) => void records.set(record.makerId, record),
    records_compared: ({ makerId, one, other }) =>
      assert('V12', null, one === other, () => `two nodes tell the record of ${makerId} as ${one} and as ${other}`),
  }

  return {
    observe: (observation) => (handlers[observation.kind] as (observation: Observation) => void)(observation),
    finish: () => {
      for (const record of records.values()) judge(record)
      for (const [makerId, { suspensions }] of makers) {
        for (const { because } of suspensions) if (because !== null) judgeSuspension(makerId, because)
      }
    },
  }
}

/** What a map has, or what it has from now on; of very many keys it forgets the oldest. */
function known<T>(map: Map<string, T>, key: string, create: () => T): T {
  const found = map.get(key)
  if (found !== undefined) return found
  const created = create()
  map.set(key, created)
  const [oldest] = map.keys()
  if (map.size > REMEMBERED && oldest !== undefined) map.delete(oldest)
  return created
}

function addNewest<T>(all: T[], one: T): void {
  all.push(one)
  if (all.length > NEWEST) all.shift()
}
