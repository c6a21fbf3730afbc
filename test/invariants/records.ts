import type { Assert } from './invariants.ts'
import type { Moment, Observation, ObservationOf, OrderSent } from './observation.ts'

/** Observations of V12: what a maker was asked and answered, what the relay did, and what its record says of that. */
type Told = ObservationOf<
  | 'order_sent'
  | 'confirm'
  | 'declined'
  | 'passed_over'
  | 'order_ended'
  | 'wallet_emptied'
  | 'relay_killed'
  | 'maker_suspended'
  | 'maker_reinstated'
  | 'record_read'
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

type Suspended = { from: Moment; until: number; ended: Moment | null }

/** Quotes that a record may still be about. */
const QUOTES_REMEMBERED = 100_000

/** A checker that has observed nothing. News may take `lagMs` until they are observed. */
export function createRecordChecker(assert: Assert, { lagMs }: { lagMs: number }): RecordChecker {
  const quotes = new Map<string, Asked>()
  const suspensions = new Map<string, Suspended[]>()
  const records = new Map<string, ObservationOf<'record_read'>>()
  const kills: ObservationOf<'relay_killed'>[] = []
  let isAnyEmptied = false

  const isBefore = (a: Moment, b: Moment): boolean => (lagMs === 0 ? a.order < b.order : a.at + lagMs < b.at)

  function askedOf({ quoteId }: { quoteId: string }): Asked {
    const known = quotes.get(quoteId)
    if (known !== undefined) return known
    const asked = { sent: [], confirms: [], declines: [], wasLongGone: false, wasCancelled: false }
    quotes.set(quoteId, asked)
    const [oldest] = quotes.keys()
    if (quotes.size > QUOTES_REMEMBERED && oldest !== undefined) quotes.delete(oldest)
    return asked
  }

  const isLost = (status: number) => status === 0 || status >= 500
  const isTaken = ({ status }: { status: number }) => status === 200 || isLost(status)

  const isWrong = (one: Asked['confirms'][number] | Asked['declines'][number]): boolean =>
    one.kind === 'confirm' && (one.status === 400 || one.isWrong === true)

  /** The maker had its time, and the relay was there to take an answer that did not come; it may be slow to take one. */
  const isMiss = (sent: OrderSent, { confirms, declines }: Asked): boolean =>
    ![...confirms, ...declines].some(
      (one) => !isWrong(one) && !isBefore(one.sent, sent.counted ?? sent.asked) && one.sent.at < sent.deadline - lagMs,
    ) && !kills.some(({ moment }) => !isBefore(moment, sent.counted ?? sent.asked) && moment.at < sent.deadline)

  const REASONS: Readonly<Record<string, (asked: Asked) => boolean>> = {
    confirmed: ({ confirms }) => confirms.some(isTaken),
    declined: ({ declines }) => declines.some(isTaken),
    missed: (asked) => asked.wasLongGone || asked.sent.some((sent) => isMiss(sent, asked)),
    bad_signature: ({ confirms }) => confirms.some((one) => isWrong(one) || isLost(one.status)),
    // At its signature, for what it has signed elsewhere; at a commit only a wallet that was emptied falls short by itself.
    insolvent: ({ confirms }) => isAnyEmptied || confirms.some(({ status }) => status !== 200),
    cancelled: ({ wasCancelled }) => wasCancelled,
    defunded: () => isAnyEmptied,
  }

  function judge({ makerId, outcomes }: ObservationOf<'record_read'>): void {
    const known = new Set<string>()
    for (const { requestId, quoteId, outcome } of outcomes) {
      const name = `${quoteId} ${outcome}`
      assert('V12', requestId, !known.has(name), () => `the record of ${makerId} counts ${outcome} of ${quoteId} twice`)
      known.add(name)
      const asked = quotes.get(quoteId)
      const holds = asked !== undefined && REASONS[outcome]?.(asked) === true
      assert(
        'V12',
        requestId,
        holds,
        () => `the record of ${makerId} counts ${outcome} of ${quoteId}, which it did not do`,
      )
    }
  }

  function ask(sent: OrderSent): void {
    const { requestId, makerId, asked, counted = asked } = sent
    const wasSuspended = (suspensions.get(makerId) ?? []).some(
      ({ from, until, ended }) =>
        isBefore(from, counted) && counted.at < until - lagMs && (ended === null || isBefore(counted, ended)),
    )
    assert('V12', requestId, !wasSuspended, () => `${makerId} was asked while it was suspended`)
    askedOf(sent).sent.push(sent)
  }

  const handlers: { [Kind in Told['kind']]: (observation: ObservationOf<Kind>) => void } = {
    order_sent: ask,
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
    maker_suspended: ({ makerId, until, moment }) => {
      const ofMaker = suspensions.get(makerId) ?? []
      suspensions.set(makerId, [...ofMaker, { from: moment, until, ended: null }])
    },
    maker_reinstated: ({ makerId, moment }) => {
      const last = suspensions.get(makerId)?.at(-1)
      if (last !== undefined) last.ended = moment
    },
    record_read: (record) => void records.set(record.makerId, record),
  }

  return {
    observe: (observation) => (handlers[observation.kind] as (observation: Observation) => void)(observation),
    finish: () => {
      for (const record of records.values()) judge(record)
    },
  }
}
