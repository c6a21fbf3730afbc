import type { OpenOrder, SignedOrder, Store } from '../../../core/ports/store.ts'

/** Signed orders that have not ended, in the order of signing. */
export type OpenOrders = {
  add: (order: OpenOrder) => void
  end: (requestId: string) => void
  has: (requestId: string) => boolean
  /** Orders of maker wallets, in lower case, with `validUntil` at or after `since`, Unix seconds. */
  of: (makers: ReadonlySet<string>, since: number) => readonly SignedOrder[]
  /** Orders with `validUntil` from `since` on and before `before`, Unix seconds; at most `limit`. */
  lapsed: (query: { since: number; before: number; limit: number }) => readonly SignedOrder[]
  /** The orders of the next wallets, as in the port. */
  next: (query: Parameters<Store['orders']['open']>[0]) => readonly OpenOrder[]
}

/** Empty. Orders that lapsed before `watchedFrom`, Unix seconds, are not watched: their end is unknown. */
export function createOpenOrders(watchedFrom: number): OpenOrders {
  const orders = new Map<string, OpenOrder>()
  /** The same by maker wallet, in lower case: reads must not cost in proportion to the orders of all wallets. */
  const wallets = new Map<string, Map<string, OpenOrder>>()

  const ordersOf = (wallet: string, since: number): OpenOrder[] =>
    [...(wallets.get(wallet)?.values() ?? [])].filter(({ order }) => order.validUntil >= since)

  return {
    add: ({ option, fromInventory, createdAt, confirmedAt, ...order }) => {
      if (order.order.validUntil < watchedFrom) return
      const inventory = fromInventory === undefined ? {} : { fromInventory }
      const one = { ...signedOf(order), option, ...inventory, createdAt, confirmedAt }
      const wallet = walletOf(one)
      orders.set(one.requestId, one)
      wallets.set(wallet, (wallets.get(wallet) ?? new Map<string, OpenOrder>()).set(one.requestId, one))
    },
    end: (requestId) => {
      const order = orders.get(requestId)
      if (order === undefined) return
      const wallet = walletOf(order)
      const ofWallet = wallets.get(wallet)
      orders.delete(requestId)
      ofWallet?.delete(requestId)
      if (ofWallet?.size === 0) wallets.delete(wallet)
    },
    has: (requestId) => orders.has(requestId),
    of: (makers, since) => [...makers].flatMap((maker) => ordersOf(maker, since).map(signedOf)),
    lapsed: ({ since, before, limit }) => {
      const found: SignedOrder[] = []
      for (const one of orders.values()) {
        if (found.length >= limit) break
        const { validUntil } = one.order
        if (validUntil >= since && validUntil < before) found.push(signedOf(one))
      }
      return found
    },
    next: ({ after, wallets: most, since, limit }) => {
      const found: OpenOrder[] = []
      let count = 0
      for (const wallet of [...wallets.keys()].filter((name) => name > after).sort()) {
        if (count >= most || found.length >= limit) break
        const ofWallet = ordersOf(wallet, since)
        if (ofWallet.length > 0) count += 1
        found.push(...ofWallet.slice(0, limit - found.length))
      }
      return found
    },
  }
}

const walletOf = ({ order }: SignedOrder): string => order.maker.toLowerCase()

const signedOf = ({ acceptanceId, requestId, quoteId, makerId, order, proven }: SignedOrder): SignedOrder => ({
  acceptanceId,
  requestId,
  quoteId,
  makerId,
  order,
  ...(proven === true ? { proven } : {}),
})
