import { createListeners } from '@rfqctl/lib/listeners'
import { EPOCH_SIZE, FEED_LENGTH } from '@rfqctl/protocol/domain/limits'
import { isPackage } from '@rfqctl/protocol/domain/option'
import type { QuoteRequest } from '@rfqctl/protocol/domain/request'
import type { MakerEvent, MakerFeed } from '../../../core/ports/live.ts'

export type NewMakerEvent = MakerEvent extends infer Event
  ? Event extends MakerEvent
    ? Omit<Event, 'id'>
    : never
  : never

export const requestEnded = ({ requestId, option, trade, audience }: QuoteRequest): NewMakerEvent => ({
  kind: 'quote_request_expired',
  requestId,
  ...(isPackage(option) ? { ofPackage: true } : {}),
  ...(trade.side === 'both' ? { twoSided: true } : {}),
  ...(audience === undefined ? {} : { audience }),
})

export type LocalFeed = MakerFeed & { append: (event: NewMakerEvent) => MakerEvent }

/**
 * The log of maker events in memory. Ids are epoch x 10^9 + offset, so that a restarted relay, whose store counts a new
 * epoch, never repeats or lowers one.
 */
export function createLocalFeed({ epoch }: { epoch: number }): LocalFeed {
  const first = epoch * EPOCH_SIZE
  const ring: MakerEvent[] = []
  const listeners = createListeners<[MakerEvent]>()
  let position = first

  const at = (id: number) => ring[(id - first) % FEED_LENGTH] as MakerEvent

  return {
    append: (event) => {
      position += 1
      const numbered = { ...event, id: position } as MakerEvent
      ring[(position - first) % FEED_LENGTH] = numbered
      listeners.call(numbered)
      return numbered
    },
    position: async () => position,
    since: async (id) => {
      const oldest = Math.max(first, position - FEED_LENGTH)
      if (!Number.isInteger(id) || id < oldest || id > position) return null
      return Array.from({ length: position - id }, (_, i) => at(id + 1 + i))
    },
    listen: listeners.add,
    // A reader in the same process misses nothing.
    onBreak: () => () => {},
  }
}
