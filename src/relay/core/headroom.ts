import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Context } from './context.ts'

/** Refuses with `overloaded` while the memory of this process is nearly full. */
export type Headroom = { assertRoom: () => void }

/** The part of the heap that may be in use after a collection, and the part of what was open then that must have ended to go on. */
const FULL = 0.8
const STILL_OPEN = 0.75

/** When to try again, in seconds: requests end all the time. */
const RETRY_AFTER_S = 5

/**
 * What was in use after the newest full collection, of which nothing is garbage. The next one may be far when nothing new comes, so that
 * requests that have ended since count as room: at the latest when those that were open then are over, requests are taken again.
 */
export function createHeadroom({ memory, book }: Pick<Context, 'memory' | 'book'>): Headroom {
  /** How many requests were open when the heap was found full; null when it was not. */
  let openWhenFull: number | null = null
  memory.onCollected((used) => {
    openWhenFull = used > FULL ? book.countKnown() : null
  })
  return {
    assertRoom: () => {
      if (openWhenFull !== null && book.countKnown() > STILL_OPEN * openWhenFull) {
        throw overloaded('The memory of the relay is nearly full. It takes requests again when others have ended.')
      }
    },
  }
}

/** The refusal of what there is no room for. */
export const overloaded = (detail: string): RfqError =>
  new RfqError('overloaded', { detail, data: { retryAfterS: RETRY_AFTER_S } })
