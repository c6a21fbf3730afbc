import type { Context } from './context.ts'
import type { Stop } from './ports/runtime.ts'
import type { BlockDecision } from './ports/store.ts'

/** A request must not cost a look-up, and a block must apply at once on all nodes. */
export type Blocklist = ReturnType<typeof createBlocklist>

/**
 * Listens on the bus until it is stopped. `standDown` takes a maker out of the market, `forgive` lifts its other
 * restrictions when it is let in again.
 */
export function createBlocklist(
  { store, bus, clock, log, background }: Pick<Context, 'store' | 'bus' | 'clock' | 'log' | 'background'>,
  { standDown, forgive }: Record<'standDown' | 'forgive', (makerId: string) => Promise<unknown>>,
) {
  const blocked = new Set<string>()
  const watchers = new Map<string, Set<() => void>>()

  /** Every node withdraws: its quotes on their way to the book are unknown to the others. */
  async function apply(makerId: string, isBlocked: boolean): Promise<void> {
    if (!isBlocked) {
      blocked.delete(makerId)
      return
    }
    blocked.add(makerId)
    const ofMaker = watchers.get(makerId) ?? []
    watchers.delete(makerId)
    for (const onBlocked of ofMaker) onBlocked()
    await standDown(makerId)
  }

  const stop = bus.subscribe('block', 'all', ({ kind, makerId }) => {
    const isBlocked = kind === 'blocked'
    if (blocked.has(makerId) !== isBlocked) {
      background.run('standing_down_failed', () => apply(makerId, isBlocked))
    }
  })

  return {
    has: (makerId: string): boolean => blocked.has(makerId),
    /** Calls back once when the maker is blocked on any node; at once if it already is. */
    watch: (makerId: string, onBlocked: () => void): Stop => {
      if (blocked.has(makerId)) {
        onBlocked()
        return () => {}
      }
      const ofMaker = watchers.get(makerId) ?? new Set()
      watchers.set(makerId, ofMaker.add(onBlocked))
      return () => {
        ofMaker.delete(onBlocked)
        if (ofMaker.size === 0 && watchers.get(makerId) === ofMaker) watchers.delete(makerId)
      }
    },
    /** Resolves when the decision is durable and a blocked maker is out of the market. */
    decide: async (terms: Omit<BlockDecision, 'at'>): Promise<BlockDecision> => {
      const decision = { ...terms, at: clock.now() }
      const { makerId, isBlocked, reason } = decision
      await store.blocks.decide(decision)
      const kind = isBlocked ? 'blocked' : 'unblocked'
      log.info(`maker_${kind}`, { makerId, reason })
      background.run('block_not_told', () => bus.publish('block', 'all', { kind, makerId }))
      await apply(makerId, isBlocked)
      if (!isBlocked) await forgive(makerId)
      return decision
    },
    list: store.blocks.list,
    /** Rereads decisions of other nodes: a message of the bus may be lost. */
    recheck: async (): Promise<void> => {
      for (const { makerId, isBlocked } of await store.blocks.list()) {
        if (blocked.has(makerId) !== isBlocked) await apply(makerId, isBlocked)
      }
    },
    stop,
  }
}
