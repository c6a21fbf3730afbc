import type { Clock } from '../core/ports/runtime.ts'

/** `setTimeout` fires at once beyond this. */
const MAX_DELAY_MS = 2 ** 31 - 1

/** Milliseconds of the steady clock between two reads of the wall clock. */
const POLL_INTERVAL_MS = 1_000

/** The wall clock must disagree with the steady one for this long before it is believed, milliseconds. */
const BELIEVED_MS = 60_000

/** The two agree within this, milliseconds: one of them has whole milliseconds only. */
const TOLERANCE_MS = 5

/** From here on a set clock is reported, milliseconds. */
export const LEAP_MS = 1_000

/** The speed of this clock while it is ahead: a deadline of ten seconds takes twenty at most. */
const SLEW = 0.5

/**
 * The machine's time in Unix milliseconds, which never goes back. It runs by the steady clock and follows a difference
 * of the wall clock once that has lasted for a whole minute, so that one bad reading moves nothing. If the wall clock
 * is ahead (a machine that slept, or was behind at the start) this clock jumps at once, since that time has passed for
 * everyone else. If it is behind, this clock runs at half speed until the wall clock has caught up, so that no deadline
 * is delayed by more than its own length. `onLeap` receives the milliseconds by which the wall clock was set.
 */
export function createSystemClock({ onLeap = () => {} }: { onLeap?: (byMs: number) => void } = {}): Clock {
  let lastSteady = performance.now()
  /** Added to the steady clock, now and as a target; the offset falls slowly to a lower target. */
  let offset = Date.now() - lastSteady
  let target = offset
  let pollAt = lastSteady + POLL_INTERVAL_MS
  /** The smallest difference of the wall clock since `offSince`, a time of the steady clock; 0: they agree. */
  let off = 0
  let offSince = lastSteady

  function poll(steady: number): void {
    pollAt = steady + POLL_INTERVAL_MS
    const by = Date.now() - steady - target
    if (Math.abs(by) < TOLERANCE_MS) {
      off = 0
      return
    }
    if (off === 0 || by > 0 !== off > 0) {
      off = by
      offSince = steady
      return
    }
    if (Math.abs(by) < Math.abs(off)) off = by
    if (steady - offSince < BELIEVED_MS) return
    target += off
    if (Math.abs(off) >= LEAP_MS) onLeap(Math.round(off))
    off = 0
  }

  function now(): number {
    const steady = performance.now()
    if (steady >= pollAt) poll(steady)
    if (offset !== target) offset = Math.max(target, offset - (steady - lastSteady) * SLEW)
    lastSteady = steady
    return Math.floor(offset + steady)
  }

  return clockOf(now)
}

/** A clock whose timers follow `now`, Unix milliseconds, at any speed. They do not keep the process alive. */
export function clockOf(now: () => number): Clock {
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
