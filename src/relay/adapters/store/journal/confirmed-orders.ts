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
/** `found` is the last answer, for as long as nothing of it changes. */
type OfWallet = { orders: Map<string, Entry>; tidyAt: number; found: Found | null }
type Found = { chainTime: number; until: number; orders: readonly OutstandingOrder[] }

const NONE: readonly OutstandingOrder[] = []

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
      const ofWallet = wallets.get(wallet) ?? { orders: new Map<string, Entry>(), tidyAt: TIDIED_AT, found: null }
      wallets.set(wallet, ofWallet)
      ofWallet.found = null
      ofWallet.orders.set(order.acceptanceId, { order, endedAt: null })
      if (ofWallet.orders.size < ofWallet.tidyAt) return
      letGo(ofWallet, order.validUntil - LONG_PAST_S)
      ofWallet.tidyAt = Math.max(TIDIED_AT, ofWallet.orders.size * 2)
    },
    /** An order has ended in a block, null when by its time; `at` in Unix milliseconds. */
    end: (wallet: string, acceptanceId: string, { block, at }: { block: number | null; at: number }): void => {
      const ofWallet = wallets.get(wallet)
      const entry = ofWallet?.orders.get(acceptanceId)
      if (ofWallet === undefined || entry === undefined) return
      const { orders } = ofWallet
      ofWallet.found = null
      if (block === null) orders.delete(acceptanceId)
      else orders.set(acceptanceId, { order: { ...entry.order, endedIn: block }, endedAt: at })
    },
    /**
     * Orders with `validUntil` at or after `chainTime`, Unix seconds, that have not ended, or only just. The same array
     * until one is added, has ended or is let go, or the chain moves on: every quote asks, and a busy wallet has
     * signed a thousand.
     */
    of: (wallet: string, chainTime: number): readonly OutstandingOrder[] => {
      const ofWallet = wallets.get(wallet)
      if (ofWallet === undefined) return NONE
      const { found } = ofWallet
      if (found !== null && found.chainTime === chainTime && now() < found.until) return found.orders
      letGo(ofWallet, chainTime - STEP_BACK_S)
      if (ofWallet.orders.size === 0) wallets.delete(wallet)
      const orders: OutstandingOrder[] = []
      let until = Number.POSITIVE_INFINITY
      for (const { order, endedAt } of ofWallet.orders.values()) {
        if (order.validUntil >= chainTime) orders.push(order)
        if (endedAt !== null) until = Math.min(until, endedAt + ENDED_TOLD_MS)
      }
      ofWallet.found = { chainTime, until, orders }
      return orders
    },
  }
}
