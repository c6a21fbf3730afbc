import type { Context } from './context.ts'
import type { Stop } from './ports/runtime.ts'

/**
 * Works now, and again `pauseMs` after each round has ended, until it is stopped. A fault is logged as `event`: the next
 * round may do better.
 */
export function repeat(
  { clock, log }: Pick<Context, 'clock' | 'log'>,
  { event, pauseMs, work }: { event: string; pauseMs: number; work: () => Promise<void> },
): Stop {
  let stopped = false
  let stopTimer: Stop = () => {}

  async function round(): Promise<void> {
    try {
      await work()
    } catch (fault) {
      if (!stopped) log.warn(event, { fault })
    }
    if (!stopped) stopTimer = clock.schedule(clock.now() + pauseMs, () => void round())
  }

  void round()
  return () => {
    stopped = true
    stopTimer()
  }
}

/** Works through items, at most `limit` of them at a time. Rejects with the first fault, after which no item is begun. */
export async function forEachOf<Item>(
  items: Iterable<Item>,
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items[Symbol.iterator]()
  let failed = false
  const takeOn = async () => {
    for (let next = waiting.next(); next.done !== true && !failed; next = waiting.next()) {
      await work(next.value).catch((fault: unknown) => {
        failed = true
        throw fault
      })
    }
  }
  await Promise.all(Array.from({ length: limit }, takeOn))
}
