type Runtime = {
  clock: { now: () => number; schedule: (at: number, run: () => void) => () => void }
  log: { warn: (event: string, fields: { fault: unknown }) => void }
}

/**
 * Works again `pauseMs` after the end of each round, until stopped; the first round is at once, or after a pause. A
 * fault is logged as `event`: the next round may succeed.
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
