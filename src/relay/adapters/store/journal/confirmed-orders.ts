import { ENDED_TOLD_MS } from '@rfqctl/protocol/domain/limits'
import type { OutstandingOrder } from '@rfqctl/protocol/domain/reservation'

/** The deepest step back of chain time in a reorganisation, in seconds; orders that lapsed earlier are dropped. */
const STEP_BACK_S = 600

/**
 * Additions after which a wallet that is never read, as in simulated mode, is tidied: this drops orders that lapsed a
 * day before the newest, which is longer than any order is valid.
 */
const TIDIED_AT = 1_000
const LONG_PAST_S = 24 * 3_600

type Entry = { order: OutstandingOrder; endedAt: number | null }
type OfWallet = { orders: Map<string, Entry>; tidyAt: number }

/**
 * The confirmed orders that wallets, in lower case, may still have to honour. It holds the orders themselves until they have lapsed or ended, so that a quote
 * reads nothing from disk for them. `now` in Unix milliseconds.
 */
export function createConfirmedOrders(now: () => number) {
  const wallets = new Map<string, OfWallet>()

  function letGo({ orders }: OfWallet, validFrom: number): void {
    for (const [acceptanceId, { order, endedAt }] of orders) {
      const isOver = endedAt !== null && endedAt + ENDED_TOLD_MS <= now()
      if (isOver || order.validUntil < validFrom) orders.delete(acceptanceId)
    }
  }

  return {
    add: (wallet: string, order: OutstandingOrder): void => {
      const ofWallet = wallets.get(wallet) ?? { orders: new Map<string, Entry>(), tidyAt: TIDIED_AT }
      wallets.set(wallet, ofWallet)
      ofWallet.orders.set(order.acceptanceId, { order, endedAt: null })
      if (ofWallet.orders.size < ofWallet.tidyAt) return
      letGo(ofWallet, order.validUntil - LONG_PAST_S)
      ofWallet.tidyAt = Math.max(TIDIED_AT, ofWallet.orders.size * 2)
    },
    /** An order has ended in a block, null when by its time; `at` in Unix milliseconds. */
    end: (wallet: string, acceptanceId: string, { block, at }: { block: number | null; at: number }): void => {
      const orders = wallets.get(wallet)?.orders
      const entry = orders?.get(acceptanceId)
      if (orders === undefined || entry === undefined) return
      if (block === null) orders.delete(acceptanceId)
      else orders.set(acceptanceId, { order: { ...entry.order, endedIn: block }, endedAt: at })
    },
    /** Orders with `validUntil` at or after `chainTime`, Unix seconds, that have not ended, or only just. */
    of: (wallet: string, chainTime: number): readonly OutstandingOrder[] => {
      const ofWallet = wallets.get(wallet)
      if (ofWallet === undefined) return []
      letGo(ofWallet, chainTime - STEP_BACK_S)
      if (ofWallet.orders.size === 0) wallets.delete(wallet)
      const found: OutstandingOrder[] = []
      for (const { order } of ofWallet.orders.values()) if (order.validUntil >= chainTime) found.push(order)
      return found
    },
  }
}
