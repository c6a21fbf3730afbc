import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Clock, Log, Stop } from '../../../core/ports/runtime.ts'

export type Lossy = {
  /** Items dropped: refused by the database, or too many in an outage. */
  lost: () => number
}

/** Items that are written together, in order, a moment after they were added. */
export type Buffer<Item> = Lossy & {
  add: (item: Item) => void
  /** Resolves when everything added is written, or could not be. */
  flush: () => Promise<void>
  close: () => Promise<void>
}

/** Default wait of an item, in milliseconds. A crash may lose it. */
const DELAY_MS = 1_000

/** Beyond this many items in an outage the oldest is dropped. */
const LIMIT = 10_000

export type BufferParts = { clock: Clock; log: Log }

/**
 * A buffer before `write`, which takes a batch whole or not at all. Items that an outage kept from being written are
 * retried; an item that the database will never take is dropped alone.
 */
export function createBuffer<Item>(
  input: BufferParts & { delayMs?: number; write: (items: readonly Item[]) => Promise<unknown> },
): Buffer<Item> {
  const { clock, log, delayMs = DELAY_MS, write } = input
  let items: Item[] = []
  let writing: Promise<void> = Promise.resolve()
  let stopTimer: Stop | null = null
  let lost = 0

  async function writeAll(): Promise<void> {
    stopTimer?.()
    stopTimer = null
    const batch = items
    if (batch.length === 0) return
    items = []
    try {
      await writeAllBut(batch)
    } catch (fault) {
      log.error('store_notes_waiting', { count: items.length, fault })
      arm()
    }
  }

  /** Halves a refused batch until the refused item is found. Fails in an outage: the rest waits again. */
  async function writeAllBut(batch: readonly Item[]): Promise<void> {
    const left: (readonly Item[])[] = [batch]
    const refused = { count: 0, fault: null as unknown }
    try {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        try {
          await write(next)
        } catch (fault) {
          if (fault instanceof RfqError) {
            putBack([next, ...left].flat())
            throw fault
          }
          const half = Math.ceil(next.length / 2)
          if (next.length > 1) left.unshift(next.slice(0, half), next.slice(half))
          else Object.assign(refused, { count: refused.count + 1, fault })
        }
      }
    } finally {
      lost += refused.count
      if (refused.count > 0) log.error('store_notes_refused', refused)
    }
  }

  function putBack(batch: readonly Item[]): void {
    const waiting = [...batch, ...items]
    items = waiting.slice(-LIMIT)
    lost += waiting.length - items.length
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
    lost: () => lost,
    close: async () => {
      await flush()
      stopTimer?.()
    },
  }
}
