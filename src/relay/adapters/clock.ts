import type { Clock } from '../core/ports/runtime.ts'

/** The longest delay that `setTimeout` takes; it fires at once beyond that. */
const MAX_DELAY_MS = 2 ** 31 - 1

/** How often the wall clock is read, in milliseconds of the steady one. */
const POLL_INTERVAL_MS = 1_000

/** How long the wall clock must disagree with the steady one before it is believed, in milliseconds. */
const BELIEVED_MS = 60_000

/** Below that the two agree, in milliseconds: one of them tells whole ones only. */
const TOLERANCE_MS = 5

/** From there on it is told that a clock was set, in milliseconds. */
export const LEAP_MS = 1_000

/** How much slower than time this clock runs while it is ahead: a deadline of ten seconds takes twenty at most. */
const SLEW = 0.5

/**
 * The machine's time in Unix milliseconds, which never goes back. It runs by the steady clock of the machine; what the wall
 * clock has said beside it for a whole minute is followed, so that one bad reading moves nothing. Where the wall clock is
 * ahead (a machine that slept, or was behind when this began) that is at once, since that time has passed for everyone else.
 * Where it is behind, this clock runs at half its speed until it is overtaken, so that no deadline is put off by more than
 * it was long. `onLeap` hears by how many milliseconds the wall clock was set.
 */
export function createSystemClock({ onLeap = () => {} }: { onLeap?: (byMs: number) => void } = {}): Clock {
  let lastSteady = performance.now()
  /** What is added to the steady clock, and what is to be: the first runs behind the second where that is less. */
  let offset = Date.now() - lastSteady
  let target = offset
  let pollAt = lastSteady + POLL_INTERVAL_MS
  /** How far the wall clock has been off since a moment of the steady one, at least; 0: it agrees. */
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

/** A clock whose timers run by what `now` says, Unix milliseconds, at whatever speed that goes on. They do not keep the process alive. */
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
