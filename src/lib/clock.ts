import { onAbort } from './abort.ts'

/** The time as a client uses it. */
export type Clock = {
  /**
   * Tells the time.
   * @returns Unix milliseconds.
   */
  now: () => number
  /**
   * Runs something once.
   * @param at - When, Unix milliseconds.
   * @param run - What.
   * @returns How to call it off.
   */
  schedule: (at: number, run: () => void) => () => void
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  schedule: (at, run) => {
    const timer = setTimeout(run, Math.max(0, at - Date.now()))
    return () => clearTimeout(timer)
  },
}

/** Waits `ms`. Rejects with the signal's reason when it aborts first. */
export function pause(
  ms: number,
  { clock, signal }: { clock: Clock; signal?: AbortSignal | undefined },
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = clock.schedule(clock.now() + ms, () => {
      release()
      resolve()
    })
    const release =
      signal === undefined
        ? () => {}
        : onAbort(signal, () => {
            stop()
            reject(signal.reason)
          })
  })
}
