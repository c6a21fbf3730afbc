import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Clock, Log, Stop } from '../../../core/ports/runtime.ts'

/** What may lose things. */
export type Lossy = {
  /** How many were given up: refused by the database, or too many in an outage. */
  lost: () => number
}

/** Things that are written away together, in order, a moment after they were added. */
export type Buffer<Item> = Lossy & {
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

/**
 * A buffer before `write`, which takes a batch whole or not at all. What an outage kept from being written is tried again; an
 * item that the database will never take is given up, and takes no other with it.
 */
export function createBuffer<Item>({
  clock,
  log,
  delayMs = DELAY_MS,
  write,
}: BufferParts & { delayMs?: number; write: (items: readonly Item[]) => Promise<unknown> }): Buffer<Item> {
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

  /** Halves a batch that is refused until what is refused is found. Fails in an outage: what is left waits again. */
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
