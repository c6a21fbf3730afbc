import type { Address } from '@rfqctl/protocol/domain/units'
import { LruMap } from 'toad-cache'
import type { Context } from './context.ts'

/**
 * Bounds the orders of a maker's wallet per client without a wallet proof (decision C17): so many at once, and again as
 * many in the time that an order can be filled. Each node counts for itself.
 */
export type UnprovenOrders = ReturnType<typeof createUnprovenOrders>

/** Beyond this number the pair of client and wallet unused for longest starts again. */
const PAIRS_KEPT = 50_000

/** Stores one time per pair: when all its orders are available again. */
export function createUnprovenOrders({ clock, settings }: Pick<Context, 'clock' | 'settings'>) {
  const { maxUnprovenOrders: most, orderValidityMs } = settings
  const pairs = new LruMap<number>(PAIRS_KEPT)
  const afterOneMore = (pair: string): number => Math.max(pairs.get(pair) ?? 0, clock.now()) + orderValidityMs / most

  return {
    /** `client` is null if clients are not distinguished. */
    isSpent: (client: string | null, maker: Address): boolean =>
      most > 0 && client !== null && afterOneMore(`${client} ${maker}`) > clock.now() + orderValidityMs,
    note: (client: string | null, maker: Address): void => {
      if (most > 0 && client !== null) pairs.set(`${client} ${maker}`, afterOneMore(`${client} ${maker}`))
    },
  }
}
