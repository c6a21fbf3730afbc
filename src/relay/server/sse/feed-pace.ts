import type { Clock, Stop } from '../../core/ports/runtime.ts'
import { createAllowances } from '../plugins/request-rates.ts'

/** How many events a maker may be told in a second by streams and sockets that begin, and at once after a rest (decision M2). */
const EVENT_RATE = { perS: 10_000, burst: 100_000 }

/** Calls back when a maker may begin to hear of requests, with so many events before it is live: at once, or when it has rested. */
export type FeedPace = (maker: string, events: number, onTurn: () => void) => Stop

/**
 * Paces how often makers begin to hear of requests. What a stream tells before it is live costs as much as it is long, and to ask
 * for it costs nothing. Who comes again too soon waits: a maker that was cut off is never refused.
 */
export function createFeedPace(clock: Pick<Clock, 'now' | 'schedule'>): FeedPace {
  const { take } = createAllowances(EVENT_RATE, clock)
  return (maker, events, onTurn) => {
    let stop: Stop = () => {}
    function ask(): void {
      const waitMs = take(maker, events)
      if (waitMs === 0) onTurn()
      else stop = clock.schedule(clock.now() + Math.ceil(waitMs), ask)
    }
    ask()
    return () => stop()
  }
}
