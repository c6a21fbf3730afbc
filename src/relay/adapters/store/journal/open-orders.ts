import type { OpenOrder, SignedOrder, Store } from '../../../core/ports/store.ts'

/**
 * Signed orders that have not ended, in the order of signing. Orders that lapsed before `watchedFrom`, Unix seconds,
 * are not watched: their end is unknown.
 */
export function createOpenOrders(watchedFrom: number) {
  const orders = new Map<string, OpenOrder>()
  /** The same by maker wallet, in lower case: reads must not cost in proportion to the orders of all wallets. */
  const wallets = new Map<string, Map<string, OpenOrder>>()

  const ordersOf = (wallet: string, since: number): OpenOrder[] =>
    [...(wallets.get(wallet)?.values() ?? [])].filter(({ order }) => order.validUntil >= since)

  return {
    add: ({ option, fromInventory, createdAt, confirmedAt, ...order }: OpenOrder): void => {
      if (order.order.validUntil < watchedFrom) return
      const inventory = fromInventory === undefined ? {} : { fromInventory }
      const one = { ...signedOf(order), option, ...inventory, createdAt, confirmedAt }
      const wallet = walletOf(one)
      orders.set(one.requestId, one)
      wallets.set(wallet, (wallets.get(wallet) ?? new Map<string, OpenOrder>()).set(one.requestId, one))
    },
    end: (requestId: string): void => {
      const order = orders.get(requestId)
      if (order === undefined) return
      const wallet = walletOf(order)
      const ofWallet = wallets.get(wallet)
      orders.delete(requestId)
      ofWallet?.delete(requestId)
      if (ofWallet?.size === 0) wallets.delete(wallet)
    },
    has: (requestId: string) => orders.has(requestId),
    /** Orders of maker wallets, in lower case, with `validUntil` at or after `since`, Unix seconds. */
    of: (makers: ReadonlySet<string>, since: number) =>
      [...makers].flatMap((maker) => ordersOf(maker, since).map(signedOf)),
    lapsed: ({ since, before, limit }: Query<'lapsed'>): readonly SignedOrder[] => {
      const found: SignedOrder[] = []
      for (const one of orders.values()) {
        if (found.length >= limit) break
        const { validUntil } = one.order
        if (validUntil >= since && validUntil < before) found.push(signedOf(one))
      }
      return found
    },
    next: ({ after, wallets: most, since, limit }: Query<'open'>): readonly OpenOrder[] => {
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

type Query<Name extends 'lapsed' | 'open'> = Parameters<Store['orders'][Name]>[0]

const walletOf = ({ order }: SignedOrder): string => order.maker.toLowerCase()

const signedOf = ({ acceptanceId, requestId, quoteId, makerId, order, proven }: SignedOrder): SignedOrder => ({
  acceptanceId,
  requestId,
  quoteId,
  makerId,
  order,
  ...(proven === true ? { proven } : {}),
})
