import type { Clock, Stop } from './ports/runtime.ts'

/** How often a wait for another node polls: the message that ends it may be lost. In milliseconds. */
export const POLL_INTERVAL_MS = 500

/**
 * The one wait of the relay: for something that happens elsewhere. A message ends it at once, and polling does where the
 * message was lost. Rejects with what `poll` rejects with.
 */
export function waitFor<Result>(
  clock: Clock,
  {
    listen,
    poll,
    nextPoll,
  }: {
    /** Hears the message that ends the wait, which never comes at once. */
    listen: (end: (result: Result) => void) => Stop
    /** What came of it meanwhile; null: not over. */
    poll: () => Promise<Result | null>
    /** When to poll next, Unix milliseconds. */
    nextPoll: () => number
  },
): Promise<Result> {
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
