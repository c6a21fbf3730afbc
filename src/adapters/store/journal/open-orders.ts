import type { OpenOrder, SignedOrder, Store } from '../../../relay/ports/store.ts'

/** Signed orders that have not ended, in the order in which they were signed. */
export type OpenOrders = {
  add: (order: OpenOrder) => void
  end: (requestId: string) => void
  has: (requestId: string) => boolean
  /** Those of maker wallets, in lower case, with `validUntil` at or after `since`, Unix seconds. */
  of: (makers: ReadonlySet<string>, since: number) => readonly SignedOrder[]
  /** Those with `validUntil` from `since` on and before `before`, Unix seconds; at most `limit`. */
  lapsed: (query: { since: number; before: number; limit: number }) => readonly SignedOrder[]
  /** Those of the wallets that come next, as the port has it. */
  next: (query: Parameters<Store['orders']['open']>[0]) => readonly OpenOrder[]
}

/** None yet; what lapsed before `watchedFrom`, Unix seconds, is not watched: how it ended is not known. */
export function createOpenOrders(watchedFrom: number): OpenOrders {
  const orders = new Map<string, OpenOrder>()

  const find = (isFound: (order: SignedOrder) => boolean, limit = Infinity) => {
    const found: SignedOrder[] = []
    for (const order of orders.values()) {
      if (found.length >= limit) break
      if (isFound(order)) found.push(signedOf(order))
    }
    return found
  }

  return {
    add: ({ option, createdAt, confirmedAt, ...order }) => {
      if (order.order.validUntil < watchedFrom) return
      orders.set(order.requestId, { ...signedOf(order), option, createdAt, confirmedAt })
    },
    end: (requestId) => void orders.delete(requestId),
    has: (requestId) => orders.has(requestId),
    of: (makers, since) => find(({ order }) => makers.has(order.maker.toLowerCase()) && order.validUntil >= since),
    lapsed: ({ since, before, limit }) =>
      find(({ order }) => order.validUntil >= since && order.validUntil < before, limit),
    next: ({ after, wallets, since, limit }) => {
      const byWallet = new Map<string, OpenOrder[]>()
      for (const order of orders.values()) {
        const wallet = order.order.maker.toLowerCase()
        if (wallet <= after || order.order.validUntil < since) continue
        const ofWallet = byWallet.get(wallet)
        if (ofWallet === undefined) byWallet.set(wallet, [order])
        else ofWallet.push(order)
      }
      const chosen = [...byWallet.keys()].sort().slice(0, wallets)
      return chosen.flatMap((wallet) => byWallet.get(wallet) ?? []).slice(0, limit)
    },
  }
}

const signedOf = ({ acceptanceId, requestId, quoteId, makerId, order }: SignedOrder): SignedOrder => ({
  acceptanceId,
  requestId,
  quoteId,
  makerId,
  order,
})
