import type { Clock } from '../../src/relay/core/ports/runtime.ts'

/** A clock that stands still until it is told to move. Turns of the event loop are real. */
export type FakeClock = Clock & {
  /** Moves on by `ms`, running each timer that falls due at its own time, and letting promises settle after each. */
  advance: (ms: number) => Promise<void>
  pending: () => number
}

type Timer = { at: number; run: () => void }

/** Turns of the event loop after which a chain of promises counts as settled. */
const SETTLE_TURNS = 3

/** A clock at `startMs`, Unix milliseconds. Timers of the same time run in the order in which they were set. */
export function createFakeClock(startMs = Date.UTC(2026, 0, 1)): FakeClock {
  let time = startMs
  const timers = new Set<Timer>()

  function nextDue(end: number): Timer | undefined {
    let next: Timer | undefined
    for (const timer of timers) {
      if (timer.at <= end && (next === undefined || timer.at < next.at)) next = timer
    }
    return next
  }

  async function advance(ms: number): Promise<void> {
    const end = time + ms
    await settle()
    for (let timer = nextDue(end); timer !== undefined; timer = nextDue(end)) {
      timers.delete(timer)
      time = Math.max(time, timer.at)
      timer.run()
      await settle()
    }
    time = end
  }

  return {
    now: () => time,
    schedule: (at, run) => {
      const timer = { at, run }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    afterTurn: (run) => void setImmediate(run),
    advance,
    pending: () => timers.size,
  }
}

/** Lets every promise settle that waits for nothing but other promises. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < SETTLE_TURNS; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve))
}
