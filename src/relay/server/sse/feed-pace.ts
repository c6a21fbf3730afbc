import type { Clock, Stop } from '../../core/ports/runtime.ts'
import { createAllowances } from '../plugins/request-rates.ts'

/** Events that starting streams and sockets may send a maker in a second, and at once after a rest (decision M2). */
const EVENT_RATE = { perS: 10_000, burst: 100_000 }

/** Calls `onTurn` when a maker may start a feed that opens with so many events: at once, or after a rest. */
export type FeedPace = (maker: string, events: number, onTurn: () => void) => Stop

/**
 * Paces how often makers start feeds. An opening costs as much as it is long, and asking for it costs nothing. A maker
 * that comes back too soon waits: one that was cut off is never refused.
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
