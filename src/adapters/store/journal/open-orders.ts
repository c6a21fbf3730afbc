import type { SignedOrder } from '../../../relay/ports/store.ts'

/** Signed orders that have not ended, in the order in which they were signed. */
export type OpenOrders = {
  add: (order: SignedOrder) => void
  end: (requestId: string) => void
  /** Those of maker wallets, in lower case, with `validUntil` at or after `since`, Unix seconds. */
  of: (makers: ReadonlySet<string>, since: number) => readonly SignedOrder[]
  /** Those with `validUntil` from `since` on and before `before`, Unix seconds; at most `limit`. */
  lapsed: (query: { since: number; before: number; limit: number }) => readonly SignedOrder[]
}

/** None yet; what lapsed before `watchedFrom`, Unix seconds, is not watched: how it ended is not known. */
export function createOpenOrders(watchedFrom: number): OpenOrders {
  const orders = new Map<string, SignedOrder>()

  const find = (isFound: (order: SignedOrder) => boolean, limit = Infinity) => {
    const found: SignedOrder[] = []
    for (const order of orders.values()) {
      if (found.length >= limit) break
      if (isFound(order)) found.push(order)
    }
    return found
  }

  return {
    add: ({ acceptanceId, requestId, quoteId, makerId, order }) => {
      if (order.validUntil >= watchedFrom) orders.set(requestId, { acceptanceId, requestId, quoteId, makerId, order })
    },
    end: (requestId) => void orders.delete(requestId),
    of: (makers, since) => find(({ order }) => makers.has(order.maker.toLowerCase()) && order.validUntil >= since),
    lapsed: ({ since, before, limit }) =>
      find(({ order }) => order.validUntil >= since && order.validUntil < before, limit),
  }
}
