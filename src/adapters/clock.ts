import type { Clock } from '../relay/ports/clock.ts'

/** The longest delay that `setTimeout` takes; it fires at once beyond that. */
const MAX_DELAY_MS = 2 ** 31 - 1

/**
 * The machine's time in Unix milliseconds, which never goes back: a wall clock that is set back is ignored, so that a
 * deadline stays where it was, and one that leaps ahead (a machine that slept) is followed. Timers do not keep the
 * process alive.
 */
export function createSystemClock(): Clock {
  let offset = Date.now() - performance.now()

  function now(): number {
    const steady = performance.now()
    offset = Math.max(offset, Date.now() - steady)
    return Math.floor(offset + steady)
  }

  function schedule(at: number, run: () => void): () => void {
    let timer: NodeJS.Timeout
    const arm = () => {
      timer = setTimeout(fire, Math.min(Math.max(at - now(), 0), MAX_DELAY_MS)).unref()
    }
    const fire = () => (now() < at ? arm() : run())
    arm()
    return () => clearTimeout(timer)
  }

  return { now, schedule, afterTurn: (run) => void setImmediate(run) }
}
