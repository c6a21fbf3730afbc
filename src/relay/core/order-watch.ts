import type { Order } from '@rfqctl/protocol/domain/order'
import { endedBy, type NonceUse, type OrderEnd, type OrderState } from '@rfqctl/protocol/domain/order-end'
import { type Context, record } from './context.ts'
import { createOrderFunds } from './order-funds.ts'
import type { ChainHead, OrderEvents, OrderEventsRead } from './ports/chain.ts'
import type { EndedOrder, OrderCheckpoint, SignedOrder } from './ports/store.ts'

/** Follows signed orders through the chain's final blocks. */
export type OrderWatch = ReturnType<typeof createOrderWatch>

/** Lapsed orders per round: strangers decide how many there are. */
const LAPSED_AT_ONCE = 500

/**
 * Runs on every node: the store decides which node saw an end first, and that node announces it. Ends are of final
 * blocks, so no reorganisation undoes an announcement. Without a chain orders end by time alone.
 */
export function createOrderWatch(
  context: Pick<Context, 'store' | 'chain' | 'orderEvents' | 'bus' | 'audit' | 'clock' | 'log' | 'settings'> & {
    records: Pick<Context['records'], 'note'>
  },
) {
  const { store, chain, orderEvents } = context
  const funds = createOrderFunds(context)
  let checkpoint: OrderCheckpoint | null = null
  /** Fills that were looked up. Cancelled nonces are always looked up: an order signed later may have one. */
  let known: ReadonlySet<string> = new Set()

  /** Skips orders that lapsed before the watch began: their end is unknown. */
  async function checkpointAt({ time }: Pick<ChainHead, 'time'>): Promise<OrderCheckpoint> {
    if (checkpoint !== null) return checkpoint
    await store.orders.keep({ block: null, since: time })
    checkpoint = (await store.orders.checkpoint()) ?? { block: null, since: time }
    return checkpoint
  }

  async function pollChain(events: OrderEvents): Promise<void> {
    const read = await events.read('latest')
    const { since } = await checkpointAt(read.final ?? read.head)
    if (read.final === null) return
    const final = finalUses(read, read.final.block)
    await endUsed(final, read.final.time, since)
    await endLapsed(read.final.time, since)
    await keep(await events.advance(read.final.block), since)
    // Last, so that no end waits for it.
    await funds.look(read.final, final)
  }

  async function keep(block: OrderCheckpoint['block'], since: number): Promise<void> {
    if (block === null || block.block <= (checkpoint?.block?.block ?? -1)) return
    checkpoint = { since, block }
    await store.orders.keep(checkpoint)
  }

  async function endUsed(uses: ReadonlyMap<string, readonly NonceUse[]>, time: number, since: number): Promise<void> {
    const all = [...uses.values()].flat()
    const makers = new Set(all.filter((use) => use.fill === null || !known.has(nameOf(use))).map(({ maker }) => maker))
    if (makers.size > 0) {
      const open = await store.orders.openOf({ makers: [...makers], since })
      await end(open, time, ({ order }) => endedBy(order, uses.get(order.maker.toLowerCase()) ?? []))
    }
    known = new Set(all.map(nameOf))
  }

  /** Every fill up to the final block at `time` has ended its order, and no later block can fill these. */
  async function endLapsed(time: number, since: number): Promise<void> {
    for (;;) {
      const lapsed = await store.orders.lapsed({ since, before: time, limit: LAPSED_AT_ONCE })
      await end(lapsed, time, () => ({ state: 'expired' }))
      if (lapsed.length < LAPSED_AT_ONCE) return
    }
  }

  /** `time` is the newest final block's. */
  async function end(
    orders: readonly SignedOrder[],
    time: number,
    endOf: (order: SignedOrder) => OrderEnd | null,
  ): Promise<void> {
    const ends = orders.flatMap((order): EndedOrder[] => {
      const ended = endOf(order)
      return ended === null ? [] : [{ ...order, end: ended }]
    })
    if (ends.length === 0) return
    for (const ended of await store.orders.end(ends)) {
      noteCancelled(ended, time)
      await announce(ended)
    }
  }

  /** A cancellation after the order lapsed takes nothing back. */
  function noteCancelled({ requestId, quoteId, makerId, order, end }: EndedOrder, time: number): void {
    if (end.state !== 'cancelled' || time > order.validUntil) return
    context.records.note(makerId, { kind: 'cancelled', requestId, quoteId })
  }

  /** A maker that is not connected, or misses the message, finds it in its history. */
  async function announce({ requestId, quoteId, makerId, end }: EndedOrder): Promise<void> {
    const { bus, log } = context
    log.info('order_ended', { requestId, quoteId, makerId, reason: end.state })
    record(context, requestId, auditFactOf({ quoteId, makerId, end }))
    await bus
      .publish('maker', makerId, { kind: 'order_ended', requestId, quoteId, end })
      .catch((fault: unknown) => log.warn('order_end_not_told', { requestId, fault }))
  }

  return {
    /** `end` is the recorded end. Null for an order that lapsed before the watch began. */
    standingOf: ({ validUntil }: Pick<Order, 'validUntil'>, end: OrderEnd | null): OrderState | null => {
      if (end !== null) return end
      return checkpoint === null || validUntil < checkpoint.since ? null : { state: 'open' }
    },
    /** Continues from the checkpoint of a former run or another node. */
    resume: async (): Promise<void> => {
      checkpoint = await store.orders.checkpoint()
      orderEvents?.resume(checkpoint?.block ?? null)
    },
    poll: async (): Promise<void> => {
      if (orderEvents !== null) return pollChain(orderEvents)
      const time = await chain.time('latest')
      const { since } = await checkpointAt({ time })
      await endLapsed(time, since)
    },
  }
}

function auditFactOf({ quoteId, makerId, end }: Pick<EndedOrder, 'quoteId' | 'makerId' | 'end'>) {
  if (end.state === 'expired') return { kind: 'order_expired', makerId, quoteId } as const
  const { state, ...place } = end
  return { kind: state === 'filled' ? 'order_filled' : 'order_cancelled', makerId, quoteId, ...place } as const
}

const nameOf = ({ transactionHash, word, mask }: NonceUse): string => `${transactionHash} ${word} ${mask}`

/** A later block may still be reverted. */
function finalUses({ uses }: OrderEventsRead, final: number): ReadonlyMap<string, readonly NonceUse[]> {
  const found = new Map<string, readonly NonceUse[]>()
  for (const [maker, ofMaker] of uses) {
    const ofFinal = ofMaker.filter(({ blockNumber }) => blockNumber <= final)
    if (ofFinal.length > 0) found.set(maker, ofFinal)
  }
  return found
}
