import type { Clock, Stop } from '../../../src/relay/core/ports/runtime.ts'
import type { ClockRead } from '../database/database.ts'
import type { Process } from './process.ts'
import type { Timeline } from './timeline.ts'

/** The clock of a node: the time of the database between two reads of it, by the steady clock of a machine that drifts. */
export type NodeClock = Clock & {
  /** Compares with the database: what it must show at least, and then what it has shown. */
  expected: () => number | null
  compared: (samples: readonly Sample[]) => void
  steady: () => number
  /** The time, for those who look on. */
  shows: () => number
}

/** What the database said, and when by the steady clock it was asked and it answered. */
export type Sample = { read: ClockRead; askedAt: number; answeredAt: number }

type Model = { offset: number; ahead: number; since: number; uncertainty: number }

const SLEW = 0.5

/** The same rules as the clock of the Postgres adapter. `drift`: seconds that the machine's clock gains in a second. */
export function createNodeClock({
  timeline,
  process,
  drift,
}: {
  timeline: Timeline
  process: Process
  drift: number
}): NodeClock {
  let model: Model | null = null
  let newest = 0
  const begun = timeline.now()
  const steady = (): number => (timeline.now() - begun) * (1 + drift)

  const shows = (): number => (model === null ? newest : Math.max(newest, Math.floor(timeBy(model, steady()))))

  function now(): number {
    newest = shows()
    return newest
  }

  function schedule(at: number, run: () => void): Stop {
    let stop: Stop = () => {}
    const arm = () => {
      stop = process.at(timeline.now() + Math.max(at - now(), 0), fire)
    }
    const fire = () => (now() < at ? armAgain() : run())
    /** A timer of a machine fires after a whole millisecond. */
    const armAgain = () => {
      stop = process.at(timeline.now() + Math.max(at - now(), 1), fire)
    }
    arm()
    return () => stop()
  }

  return {
    now,
    schedule,
    afterTurn: (run) => void process.at(timeline.now(), run),
    steady,
    shows,
    expected: () => (model === null ? null : timeBy(model, steady()) - model.uncertainty),
    compared: (samples) => {
      let best: Model | null = null
      for (const { read, askedAt, answeredAt } of samples) {
        const { raw, ahead, since } = read
        const uncertainty = (answeredAt - askedAt) / 2
        if (best === null || uncertainty < best.uncertainty || since !== best.since)
          best = { offset: raw - askedAt - uncertainty, ahead, since, uncertainty }
      }
      model = best
    },
  }
}

function timeBy({ offset, ahead, since }: Model, steady: number): number {
  const raw = steady + offset
  return raw + Math.max(0, ahead - (raw - since) * SLEW)
}
