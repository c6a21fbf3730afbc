import type { Clock, Stop } from './ports/runtime.ts'

type Wait<Result> = {
  /** Never calls back synchronously. */
  listen: (end: (result: Result) => void) => Stop
  /** Null: not over. */
  poll: () => Promise<Result | null>
  /** Unix milliseconds. */
  nextPoll: () => number
}

/** Milliseconds between polls: the message that ends a wait may be lost. */
export const POLL_INTERVAL_MS = 500

/**
 * The one wait of the relay for an event elsewhere. A message ends it at once, and polling does if the message was
 * lost. Rejects with what `poll` rejects with.
 */
export function waitFor<Result>(clock: Clock, { listen, poll, nextPoll }: Wait<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    let isOver = false
    let stopTimer: Stop = () => {}
    const end = (settle: () => void) => {
      isOver = true
      stopListening()
      stopTimer()
      settle()
    }
    const round = async () => {
      const result = await poll()
      if (result === null) arm()
      else end(() => resolve(result))
    }
    const arm = () => {
      if (isOver) return
      stopTimer = clock.schedule(nextPoll(), () => void round().catch((fault: unknown) => end(() => reject(fault))))
    }
    const stopListening = listen((result) => end(() => resolve(result)))
    arm()
  })
}
