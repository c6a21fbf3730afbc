import type { Clock } from '../../src/client/clock.ts'

/** The machine's clock, of which a test can skip a while: for what waits long between two tries, over real connections. */
export type SkippingClock = { clock: Clock; skip: (ms: number) => void }

/** A clock that skips when it is told to. Timers that run keep their length. */
export function createSkippingClock(): SkippingClock {
  let skipped = 0
  const now = () => Date.now() + skipped
  return {
    clock: {
      now,
      schedule: (at, run) => {
        const timer = setTimeout(run, Math.max(0, at - now()))
        return () => clearTimeout(timer)
      },
    },
    skip: (ms) => {
      skipped += ms
    },
  }
}
