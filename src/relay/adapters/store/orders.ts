import type { DefundedOrder, EndedOrder, Store } from '../../core/ports/store.ts'
import type { StoreBase } from './db.ts'

const CHECKPOINT = 'orders'

/** The ends of signed orders are in the journal, the checkpoint of the watch in a table. */
export function createOrders({ clock, db }: StoreBase): Store['orders'] {
  const { journal } = db
  /** Orders whose end is being written. */
  const ending = new Set<string>()
  /** Orders whose defunding is being written. */
  const defunding = new Set<string>()

  return {
    openOf: async ({ makers, since }) =>
      journal.openOrders.of(new Set(makers.map((maker) => maker.toLowerCase())), since),
    lapsed: async (query) => journal.openOrders.lapsed(query),
    end: async (ends) => {
      const at = clock.now()
      const ended: EndedOrder[] = []
      try {
        await db.change((draft) => {
          for (const one of ends) {
            const { requestId, acceptanceId, order, end, proven } = one
            if (ending.has(requestId) || journal.orderEnded(requestId) !== null) continue
            ending.add(requestId)
            ended.push(one)
            const [wallet, taker] = [order.maker.toLowerCase(), order.taker.toLowerCase()]
            const claim = proven === true ? { proven } : {}
            draft.append({ kind: 'order_ended', requestId, acceptanceId, wallet, taker, ...claim, end, at })
          }
        })
        return ended
      } finally {
        for (const { requestId } of ended) ending.delete(requestId)
      }
    },
    open: async (query) => journal.openOrders.next(query),
    defund: async (orders) => {
      const at = clock.now()
      const defunded: DefundedOrder[] = []
      try {
        await db.change((draft) => {
          for (const one of orders) {
            const { requestId } = one
            if (!journal.openOrders.has(requestId) || defunding.has(requestId)) continue
            if (journal.orderDefunded(requestId) !== null) continue
            defunding.add(requestId)
            defunded.push(one)
            draft.append({ kind: 'order_defunded', requestId, defunding: one.defunding, at })
          }
        })
        return defunded
      } finally {
        for (const { requestId } of defunded) defunding.delete(requestId)
      }
    },
    endOf: async (requestId) => (await journal.orderEnded(requestId)?.())?.end ?? null,
    ratingOf: ({ taker, sinceMs }) => journal.takerRating(taker.toLowerCase(), clock.now() - sinceMs),
    checkpoint: async () => db.tables().watch.get(CHECKPOINT) ?? null,
    keep: ({ block, since }) =>
      db.change((draft) => {
        const kept = draft.get('watch', CHECKPOINT)
        const later = (kept?.block?.block ?? -1) > (block?.block ?? -1) ? (kept?.block ?? null) : block
        draft.set('watch', CHECKPOINT, { block: later, since: kept?.since ?? since })
      }),
  }
}
