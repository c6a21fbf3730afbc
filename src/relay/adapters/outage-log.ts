import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Clock, Log, LogFields, Stop } from '../core/ports/runtime.ts'

/** Reduces an outage to two lines, and counts outages. */
export type OutageLog = { log: Log; outages: () => number }

/** `since` and `until` are the times of its first and last fault, Unix milliseconds. */
type Outage = { since: number; until: number; count: number; stopTimer: Stop }

/**
 * An outage is over after this long without a fault, in milliseconds. The background work queries a store several times
 * a second, but a hung server keeps each query for six seconds.
 */
const QUIET_MS = 10_000

/** A line about one of these must be findable, so it is always written. */
const SUBJECTS = ['requestId', 'quoteId', 'makerId', 'seriesId', 'acceptanceId'] as const satisfies (keyof LogFields)[]

/**
 * Collapses the faults of an unavailable store into one line when an outage begins, `outage_begun`, and one when it is
 * over, `outage_over`, with the number of faults and the duration. All background work of a relay fails then, many
 * times a second; each store has outages of its own.
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
