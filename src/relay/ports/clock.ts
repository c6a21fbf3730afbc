/** Ends a subscription, a timer or a presence. */
export type Stop = () => void

/** The relay's own time: Unix milliseconds, and one-shot timers that never fire early. */
export type Clock = {
  now: () => number
  schedule: (at: number, run: () => void) => Stop
  /** Runs once all that goes on now has gone as far as it can: answers that are ready have left by then. */
  afterTurn: (run: () => void) => void
}
