import type { Clock, Stop } from './ports/runtime.ts'

/** How often who waits for another node looks for itself: the message that wakes it may be lost. In milliseconds. */
export const LOOK_MS = 500

/**
 * The one wait of the relay: for something that happens elsewhere. A message ends it at once, and looking does where the
 * message was lost. Rejects with what `look` rejects with.
 */
export function waitFor<Result>(
  clock: Clock,
  {
    listen,
    look,
    nextLook,
  }: {
    /** Hears the message that ends the wait, which never comes at once. */
    listen: (end: (result: Result) => void) => Stop
    /** What came of it meanwhile; null: not over. */
    look: () => Promise<Result | null>
    /** When to look next, Unix milliseconds. */
    nextLook: () => number
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
      const result = await look()
      if (result === null) arm()
      else end(() => resolve(result))
    }
    const arm = () => {
      if (isOver) return
      stopTimer = clock.schedule(nextLook(), () => void round().catch((fault: unknown) => end(() => reject(fault))))
    }
    const stopListening = listen((result) => end(() => resolve(result)))
    arm()
  })
}
