import type { Clock } from '../../relay/ports/runtime.ts'

/** Passes values on, but not too many: the newest one always arrives. */
export type Throttle<Value> = {
  push: (value: Value) => void
  /** Forgets what has not been passed on, and its timer. */
  stop: () => void
}

/** Passes the first value on at once and, for `windowMs` after each one passed, only the newest of the further ones. */
export function createThrottle<Value>(clock: Clock, windowMs: number, pass: (value: Value) => void): Throttle<Value> {
  let held: { value: Value } | null = null
  let stopTimer: (() => void) | null = null

  function passOn(value: Value): void {
    pass(value)
    stopTimer = clock.schedule(clock.now() + windowMs, () => {
      const newest = held
      held = null
      stopTimer = null
      if (newest !== null) passOn(newest.value)
    })
  }

  return {
    push: (value) => {
      if (stopTimer === null) passOn(value)
      else held = { value }
    },
    stop: () => {
      stopTimer?.()
      stopTimer = null
      held = null
    },
  }
}
