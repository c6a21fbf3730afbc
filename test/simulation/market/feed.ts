import { createListeners } from '../../../src/lib/listeners.ts'
import { EPOCH_SIZE } from '../../../src/protocol/domain/limits.ts'
import { NoEpochError } from '../../../src/relay/adapters/live/redis/functions.ts'
import type { Market, NewestEpoch } from '../../../src/relay/adapters/live/redis/market.ts'
import type { MakerEvent, MakerFeed } from '../../../src/relay/core/ports/live.ts'
import type { Stop } from '../../../src/relay/core/ports/runtime.ts'
import type { MarketParts } from './parts.ts'

/** A node reads again after this long without news, and ends its streams after so long without an answer, milliseconds. */
const READ_MS = 2_000
const INTERRUPTED_MS = 15_000

/** The maker feed of a node, which reads the server's stream from its own position, as the Redis adapter does. */
export async function createMarketFeed(
  parts: MarketParts & { market: Market; newest: NewestEpoch },
): Promise<MakerFeed & { stop: Stop }> {
  const { clock, log, read, listen, market, newest } = parts
  const listeners = createListeners<[MakerEvent]>()
  const breakListeners = createListeners()
  let isBroken = false
  let isReading = false
  let isWanted = false
  let readAt = clock.now()
  let stopTimer: Stop = () => {}
  let stopped = false

  const position = () =>
    market.withEpoch(async () => {
      const found = await read('position', (reads) => reads.position(newest.value))
      if (found === null) throw new NoEpochError('the market is empty')
      return found
    })

  let known = await position()

  function deliver(events: readonly MakerEvent[]): void {
    for (const event of events) {
      // Another epoch, or events that were dropped before this node read them.
      if (event.id !== known + 1) breakOff()
      known = event.id
      listeners.call(event)
    }
  }

  function breakOff(): void {
    log.warn('maker_feed_broken')
    breakListeners.call()
  }

  async function follow(): Promise<void> {
    if (isReading) {
      isWanted = true
      return
    }
    isReading = true
    stopTimer()
    try {
      do {
        isWanted = false
        const events = await read('events', (reads) => reads.eventsAfter(known))
        readAt = clock.now()
        isBroken = false
        deliver(events)
      } while (isWanted)
    } catch {
      if (!isBroken && clock.now() - readAt > INTERRUPTED_MS) {
        isBroken = true
        breakOff()
      }
    }
    isReading = false
    if (!stopped) stopTimer = clock.schedule(clock.now() + READ_MS, () => void follow())
  }

  const stopListening = listen('events', () => void follow())
  void follow()

  return {
    position,
    since: async (id) => {
      if (!Number.isInteger(id) || id < 0) return null
      const last = await position()
      if (id === last) return []
      if (Math.floor(id / EPOCH_SIZE) !== Math.floor(last / EPOCH_SIZE)) return null
      return read('since', (reads) => (reads.hasEvent(id) ? reads.eventsAfter(id) : null))
    },
    listen: listeners.add,
    onBreak: breakListeners.add,
    stop: () => {
      stopped = true
      stopTimer()
      stopListening()
    },
  }
}
