import type { Order } from '@rfqctl/protocol/domain/order'
import { endedBy, type NonceUse, type OrderEnd, type OrderStanding } from '@rfqctl/protocol/domain/order-end'
import { type Context, record } from './context.ts'
import { createOrderFunds } from './order-funds.ts'
import type { ChainHead, OrderEvents, OrderEventsRead } from './ports/chain.ts'
import type { EndedOrder, OrderCheckpoint, SignedOrder } from './ports/store.ts'

/** What becomes of signed orders, from the chain's final blocks. */
export type OrderWatch = {
  /** Goes on where a former run, or another node, has come to. */
  resume: () => Promise<void>
  /** Reads which orders have ended since, keeps how, and announces it. */
  poll: () => Promise<void>
  /** How a signed order stands, by the end that is kept of it; null of one that lapsed before anyone watched. */
  standingOf: (order: Pick<Order, 'validUntil'>, end: OrderEnd | null) => OrderStanding | null
}

/** Orders that lapsed, at a time: how many there are strangers decide. */
const LAPSED_AT_ONCE = 500

/**
 * A watch that every node keeps: the store decides who has seen an end first, and who has tells of it. An end is of a final
 * block, so that no reorganisation takes back what was told. Without a chain orders end by their time alone.
 */
export function createOrderWatch(
  context: Pick<Context, 'store' | 'chain' | 'orderEvents' | 'bus' | 'audit' | 'clock' | 'log' | 'settings'> & {
    records: Pick<Context['records'], 'note'>
  },
): OrderWatch {
  const { store, chain, orderEvents } = context
  const funds = createOrderFunds(context)
  let checkpoint: OrderCheckpoint | null = null
  /** Fills that were looked up; a cancelled nonce may be that of an order which is signed later. */
  let known: ReadonlySet<string> = new Set()

  /** Orders that lapsed before anyone watched are passed over: how they ended is not known. */
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

  /** A block of `time` is final, and all that was filled up to it has ended: no later block can fill these. */
  async function endLapsed(time: number, since: number): Promise<void> {
    for (;;) {
      const lapsed = await store.orders.lapsed({ since, before: time, limit: LAPSED_AT_ONCE })
      await end(lapsed, time, () => ({ state: 'expired' }))
      if (lapsed.length < LAPSED_AT_ONCE) return
    }
  }

  /** `time`: of the newest final block. */
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

  /** What lapsed by then may have been cancelled afterwards, which takes nothing back. */
  function noteCancelled({ requestId, quoteId, makerId, order, end }: EndedOrder, time: number): void {
    if (end.state !== 'cancelled' || time > order.validUntil) return
    context.records.note(makerId, { kind: 'cancelled', requestId, quoteId })
  }

  /** Who is not connected, or misses it, finds it in its history. */
  async function announce({ requestId, quoteId, makerId, end }: EndedOrder): Promise<void> {
    const { bus, log } = context
    log.info('order_ended', { requestId, quoteId, makerId, reason: end.state })
    record(context, requestId, auditFactOf({ quoteId, makerId, end }))
    await bus
      .publish('maker', makerId, { kind: 'order_ended', requestId, quoteId, end })
      .catch((fault: unknown) => log.warn('order_end_not_told', { requestId, fault }))
  }

  return {
    standingOf: ({ validUntil }, end) => {
      if (end !== null) return end
      return checkpoint === null || validUntil < checkpoint.since ? null : { state: 'open' }
    },
    resume: async () => {
      checkpoint = await store.orders.checkpoint()
      orderEvents?.resume(checkpoint?.block ?? null)
    },
    poll: async () => {
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

/** What is in a later block may still be taken back. */
function finalUses({ uses }: OrderEventsRead, final: number): ReadonlyMap<string, readonly NonceUse[]> {
  const found = new Map<string, readonly NonceUse[]>()
  for (const [maker, ofMaker] of uses) {
    const ofFinal = ofMaker.filter(({ blockNumber }) => blockNumber <= final)
    if (ofFinal.length > 0) found.set(maker, ofFinal)
  }
  return found
}
