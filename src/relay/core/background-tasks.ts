import type { Clock, Log } from './ports/runtime.ts'

export type BackgroundTasks = ReturnType<typeof createBackgroundTasks>

export function createBackgroundTasks({ log, clock }: { log: Log; clock: Clock }) {
  const running = new Set<Promise<unknown>>()
  return {
    /** A fault is logged as `event` and never lost. */
    run: (event: string, work: () => Promise<unknown>): void => {
      const done = work()
        .catch((fault: unknown) => log.error(event, { fault }))
        .finally(() => running.delete(done))
      running.add(done)
    },
    /**
     * Resolves when all running work and its follow-up work has ended, or after `atMostMs`: messages after an answer are
     * sent during a shutdown, and work that waits for a maker holds up nothing.
     */
    ended: async (atMostMs: number): Promise<void> => {
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
