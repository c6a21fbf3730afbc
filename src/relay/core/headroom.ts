import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Context } from './context.ts'

/**
 * Fraction of the heap that may be in use after a collection, and fraction of the then open requests that must end
 * before new ones are taken.
 */
const FULL = 0.8
const STILL_OPEN = 0.75

/** Requests end all the time. */
const RETRY_AFTER_S = 5

/**
 * Uses the newest full collection, whose heap has no garbage. The next one may be far off without new requests, so
 * ended requests count as room: requests are taken again once all those open at that time are over, at the latest.
 */
export function createHeadroom({ memory, book }: Pick<Context, 'memory' | 'book'>) {
  let openWhenFull: number | null = null
  memory.onCollected((used) => {
    openWhenFull = used > FULL ? book.countKnown() : null
  })
  return {
    /** Refuses with `overloaded` while the memory of this process is nearly full. */
    assertRoom: (): void => {
      if (openWhenFull !== null && book.countKnown() > STILL_OPEN * openWhenFull) {
        throw overloaded('The memory of the relay is nearly full. It takes requests again when others have ended.')
      }
    },
  }
}

export const overloaded = (detail: string): RfqError =>
  new RfqError('overloaded', { detail, data: { retryAfterS: RETRY_AFTER_S } })
