import type { Clock, Log } from './ports/runtime.ts'

/** Work that no one waits for while a relay runs. */
export type BackgroundTasks = {
  /** Runs it, for instance from a timer; a fault is logged as `event` and never lost. */
  run: (event: string, work: () => Promise<unknown>) => void
  /**
   * Resolves when all that runs has ended, and what it began in turn, or after `atMostMs`: the messages that follow an answer are sent
   * while a relay shuts down, and work that waits for a maker holds up nothing.
   */
  ended: (atMostMs: number) => Promise<void>
}

/** The background tasks of one relay. */
export function createBackgroundTasks({ log, clock }: { log: Log; clock: Clock }): BackgroundTasks {
  const running = new Set<Promise<unknown>>()
  return {
    run: (event, work) => {
      const done = work()
        .catch((fault: unknown) => log.error(event, { fault }))
        .finally(() => running.delete(done))
      running.add(done)
    },
    ended: async (atMostMs) => {
      let isOver = false
      let stop = () => {}
      const over = new Promise<void>((resolve) => {
        stop = clock.schedule(clock.now() + atMostMs, () => {
          isOver = true
          resolve()
        })
      })
      while (running.size > 0 && !isOver) await Promise.race([Promise.all(running), over])
      stop()
    },
  }
}
