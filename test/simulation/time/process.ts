import type { Timeline } from './timeline.ts'

/** A process of the simulation: what is due while it is frozen waits, and nothing of it happens once it is dead. */
export type Process = {
  name: string
  isAlive: () => boolean
  isFrozen: () => boolean
  /** As of the timeline. */
  at: (time: number, run: () => void) => () => void
  kill: () => void
  /** It stands still until then, Unix milliseconds of the timeline. */
  freeze: (until: number) => void
}

export function createProcess(timeline: Timeline, name: string): Process {
  let isAlive = true
  let frozenUntil = 0

  function at(time: number, run: () => void): () => void {
    let stop = timeline.at(time, () => {
      if (!isAlive) return
      if (timeline.now() < frozenUntil) stop = at(frozenUntil, run)
      else run()
    })
    return () => stop()
  }

  return {
    name,
    isAlive: () => isAlive,
    isFrozen: () => timeline.now() < frozenUntil,
    at,
    kill: () => {
      isAlive = false
    },
    freeze: (until) => {
      frozenUntil = Math.max(frozenUntil, until)
    },
  }
}
