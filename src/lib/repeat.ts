/** The clock and the log that a loop needs. */
type Runtime = {
  clock: { now: () => number; schedule: (at: number, run: () => void) => () => void }
  log: { warn: (event: string, fields: { fault: unknown }) => void }
}

/**
 * Works, and again `pauseMs` after each round has ended, until it is stopped: at once, or first after a pause. A fault is
 * logged as `event`: the next round may do better.
 */
export function repeat(
  { clock, log }: Runtime,
  {
    event,
    pauseMs,
    work,
    first = 'now',
  }: { event: string; pauseMs: number; work: () => Promise<void>; first?: 'now' | 'later' },
): () => void {
  let stopped = false
  let stopTimer = () => {}

  async function round(): Promise<void> {
    try {
      await work()
    } catch (fault) {
      if (!stopped) log.warn(event, { fault })
    }
    if (!stopped) arm()
  }

  function arm(): void {
    stopTimer = clock.schedule(clock.now() + pauseMs, () => void round())
  }

  if (first === 'now') void round()
  else arm()
  return () => {
    stopped = true
    stopTimer()
  }
}
