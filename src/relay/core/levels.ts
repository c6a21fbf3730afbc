import type { Level } from '@rfqctl/protocol/domain/surface'
import { LruMap } from 'toad-cache'
import type { Context } from './context.ts'

/** Indicative levels of one maker; the same object until it sends others. */
export type MakerLevels = { makerId: string; at: number; levels: readonly Level[] }

export type Levels = ReturnType<typeof createLevels>

/** Levels are forgotten after this time, milliseconds: a maker that is there sends them again. */
const KEPT_MS = 60_000

/** More makers than any relay has. */
const MAKERS_KEPT = 1_000

/** The newest indicative levels of each maker on all nodes. Listens on the bus until it is stopped. */
export function createLevels({ bus, clock, blocks }: Pick<Context, 'bus' | 'clock' | 'blocks'>) {
  const byMaker = new LruMap<MakerLevels>(MAKERS_KEPT)
  const stop = bus.subscribe('levels', 'all', ({ makerId, levels }) => {
    byMaker.set(makerId, { makerId, at: clock.now(), levels })
  })
  return {
    /** Replaces all levels of the maker; other nodes hear of them, unless a message is lost. */
    set: async (maker: { makerId: string; levels: readonly Level[] }): Promise<{ count: number; keptMs: number }> => {
      await bus.publish('levels', 'all', { kind: 'set', ...maker })
      return { count: maker.levels.length, keptMs: KEPT_MS }
    },
    list: (): readonly MakerLevels[] => {
      const since = clock.now() - KEPT_MS
      return [...byMaker.keys()].flatMap((makerId) => {
        const one = byMaker.get(makerId)
        return one === undefined || one.at <= since || blocks.has(makerId) ? [] : [one]
      })
    },
    stop,
  }
}
