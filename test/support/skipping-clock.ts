import type { Clock } from '../../src/lib/clock.ts'

/** A clock that stands still until a test skips a while, with timers that run on: for waits over real connections. */
export type SkippingClock = { clock: Clock; skip: (ms: number) => void }

/** A clock that stands at the machine's time. Timers run for as long as they are set, whatever is skipped. */
export function createSkippingClock(): SkippingClock {
  let time = Date.now()
  return {
    clock: {
      now: () => time,
      schedule: (at, run) => {
        const timer = setTimeout(run, Math.max(0, at - time))
        return () => clearTimeout(timer)
      },
    },
    skip: (ms) => {
      time += ms
    },
  }
}
