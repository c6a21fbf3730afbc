import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Clock, Log, LogFields, Stop } from '../core/ports/runtime.ts'

/** A log in which an outage is two lines, and how many there have been. */
export type OutageLog = { log: Log; outages: () => number }

/** The time from the first to the last that was heard of an outage, Unix milliseconds. */
type Outage = { since: number; until: number; count: number; stopTimer: Stop }

/**
 * How long nothing fails before an outage counts as over, in milliseconds. What asks a store in the background asks
 * several times a second, but a server that stands still keeps each question for six seconds.
 */
const QUIET_MS = 10_000

/** What a line is about when someone must be able to look it up: such a line is written whatever happens. */
const SUBJECTS = ['requestId', 'quoteId', 'makerId', 'seriesId', 'acceptanceId'] as const satisfies (keyof LogFields)[]

/**
 * Collapses what goes wrong because a store does not answer into one line when that begins, `outage_begun`, and one when it is
 * over, `outage_over`, with how many faults there were and for how long. Everything that a relay does in the background fails
 * then, many times a second; each store has outages of its own.
 */
export function createOutageLog(log: Log, clock: Clock): OutageLog {
  const running = new Map<string, Outage>()
  let outages = 0

  function end(what: string, { since, until, count }: Outage): void {
    running.delete(what)
    log.info('outage_over', { reason: what, count, durationMs: until - since })
  }

  function begin(what: string, event: string, fault: unknown): Outage {
    const now = clock.now()
    const outage: Outage = { since: now, until: now, count: 0, stopTimer: () => {} }
    running.set(what, outage)
    outages += 1
    log.warn('outage_begun', { reason: event, fault })
    return outage
  }

  const collapsing = (write: Log['warn']): Log['warn'] => {
    return (event, fields = {}) => {
      const { fault } = fields
      const isOutage = fault instanceof RfqError && fault.code === 'store_unavailable'
      if (!isOutage || SUBJECTS.some((name) => fields[name] !== undefined)) return write(event, fields)
      const what = fault.message
      const outage = running.get(what) ?? begin(what, event, fault)
      outage.count += 1
      outage.until = clock.now()
      outage.stopTimer()
      outage.stopTimer = clock.schedule(outage.until + QUIET_MS, () => end(what, outage))
    }
  }

  return { log: { info: log.info, warn: collapsing(log.warn), error: collapsing(log.error) }, outages: () => outages }
}
