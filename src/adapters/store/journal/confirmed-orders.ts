import type { OutstandingOrder } from '../../../domain/reservation.ts'

/** The confirmed orders that wallets may still have to honour. */
export type ConfirmedOrders = {
  add: (wallet: string, order: OutstandingOrder) => void
  /** Those with `validUntil` at or after `chainTime`, Unix seconds. */
  of: (wallet: string, chainTime: number) => readonly OutstandingOrder[]
}

/** How far chain time may step back in a reorganisation, in seconds; orders that lapsed longer ago are let go. */
const STEP_BACK_S = 600

/**
 * How many orders of a wallet are added before it is tidied although no one asked for it, as in simulated mode: then those
 * are let go that lapsed a day before the newest, which is longer than any order is valid.
 */
const TIDIED_AT = 1_000
const LONG_PAST_S = 24 * 3_600

/**
 * An empty index; wallets are in lower case. It holds the orders themselves until they have lapsed, so that a quote reads
 * nothing from disk for them.
 */
export function createConfirmedOrders(): ConfirmedOrders {
  const wallets = new Map<string, { list: OutstandingOrder[]; tidyAt: number }>()

  return {
    add: (wallet, order) => {
      const ofWallet = wallets.get(wallet) ?? { list: [], tidyAt: TIDIED_AT }
      wallets.set(wallet, ofWallet)
      ofWallet.list.push(order)
      if (ofWallet.list.length < ofWallet.tidyAt) return
      ofWallet.list = ofWallet.list.filter(({ validUntil }) => validUntil >= order.validUntil - LONG_PAST_S)
      ofWallet.tidyAt = Math.max(TIDIED_AT, ofWallet.list.length * 2)
    },
    of: (wallet, chainTime) => {
      const ofWallet = wallets.get(wallet)
      if (ofWallet === undefined) return []
      ofWallet.list = ofWallet.list.filter(({ validUntil }) => validUntil >= chainTime - STEP_BACK_S)
      if (ofWallet.list.length === 0) wallets.delete(wallet)
      return ofWallet.list.filter(({ validUntil }) => validUntil >= chainTime)
    },
  }
}
