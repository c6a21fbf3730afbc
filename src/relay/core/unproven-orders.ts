import type { Address } from '@rfqctl/protocol/domain/units'
import { LruMap } from 'toad-cache'
import type { Context } from './context.ts'

/**
 * How many orders of a maker's wallet a client is given for takers that prove no wallet (decision C17): so many at once, and again as
 * many in the time that an order can be filled. Each node counts for itself.
 */
export type UnprovenOrders = {
  /** Whether a client has had as many as it is given for now; `client` is null where clients are not told apart. */
  isSpent: (client: string | null, maker: Address) => boolean
  /** A client was given one. */
  note: (client: string | null, maker: Address) => void
}

/** Pairs of a client and a wallet that are remembered: the one that was not heard of for longest begins again. */
const PAIRS_KEPT = 50_000

/** None was given yet. What is kept of a pair is the moment at which it may have all of them again. */
export function createUnprovenOrders({ clock, settings }: Pick<Context, 'clock' | 'settings'>): UnprovenOrders {
  const { maxUnprovenOrders: most, orderValidityMs } = settings
  const pairs = new LruMap<number>(PAIRS_KEPT)
  const afterOneMore = (pair: string): number => Math.max(pairs.get(pair) ?? 0, clock.now()) + orderValidityMs / most

  return {
    isSpent: (client, maker) =>
      most > 0 && client !== null && afterOneMore(`${client} ${maker}`) > clock.now() + orderValidityMs,
    note: (client, maker) => {
      if (most > 0 && client !== null) pairs.set(`${client} ${maker}`, afterOneMore(`${client} ${maker}`))
    },
  }
}
