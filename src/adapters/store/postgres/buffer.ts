import { RfqError } from '../../../domain/errors.ts'
import type { Clock, Stop } from '../../../relay/ports/clock.ts'
import type { Log } from '../../../relay/ports/log.ts'

/** Things that are written away together, in order, a moment after they were noted. */
export type Buffer<Item> = {
  add: (item: Item) => void
  /** Resolves when what was added is written, or could not be. */
  flush: () => Promise<void>
  close: () => Promise<void>
}

/** How long something may wait unless it is said otherwise, in milliseconds. A crash may lose it. */
const DELAY_MS = 1_000

/** How much an outage may pile up before the oldest is given up. */
const LIMIT = 10_000

/** What a buffer stands on. */
export type BufferParts = { clock: Clock; log: Log }

/** A buffer before `write`, which takes a batch whole or not at all. What could not be written is tried again. */
export function createBuffer<Item>({
  clock,
  log,
  delayMs = DELAY_MS,
  write,
}: BufferParts & { delayMs?: number; write: (items: readonly Item[]) => Promise<unknown> }): Buffer<Item> {
  let items: Item[] = []
  let writing: Promise<void> = Promise.resolve()
  let stopTimer: Stop | null = null

  async function writeAll(): Promise<void> {
    stopTimer?.()
    stopTimer = null
    const batch = items
    if (batch.length === 0) return
    items = []
    try {
      await write(batch)
    } catch (fault) {
      // Only an outage passes; a batch that the database will never take must not stand in the way of the next.
      const isOutage = fault instanceof RfqError
      log.error(isOutage ? 'store_notes_waiting' : 'store_notes_refused', { count: batch.length, fault })
      if (!isOutage) return
      items = [...batch, ...items].slice(-LIMIT)
      arm()
    }
  }

  function flush(): Promise<void> {
    writing = writing.then(writeAll)
    return writing
  }

  function arm(): void {
    stopTimer ??= clock.schedule(clock.now() + delayMs, () => void flush())
  }

  return {
    add: (item) => {
      items.push(item)
      arm()
    },
    flush,
    close: async () => {
      await flush()
      stopTimer?.()
    },
  }
}
