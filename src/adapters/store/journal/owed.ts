/** The confirmed orders that wallets may still have to honour. */
export type Owed<Place> = {
  note: (wallet: string, validUntil: number, place: Place) => void
  /** Those with `validUntil` at or after `chainTime`, Unix seconds. */
  of: (wallet: string, chainTime: number) => readonly Place[]
}

/** How far chain time may step back in a reorganisation, in seconds; orders that lapsed longer ago are let go. */
const STEP_BACK_S = 3_600

/**
 * How many orders of a wallet are noted before it is tidied although nobody asked for it, as in simulated mode: then those
 * are let go that lapsed a day before the newest, which is longer than any order is valid.
 */
const TIDIED_AT = 1_000
const LONG_PAST_S = 24 * 3_600

type Owing<Place> = { validUntil: number; place: Place }

/** An empty index; wallets are in lower case. */
export function createOwed<Place>(): Owed<Place> {
  const orders = new Map<string, { list: Owing<Place>[]; tidyAt: number }>()

  return {
    note: (wallet, validUntil, place) => {
      const ofWallet = orders.get(wallet) ?? { list: [], tidyAt: TIDIED_AT }
      orders.set(wallet, ofWallet)
      ofWallet.list.push({ validUntil, place })
      if (ofWallet.list.length < ofWallet.tidyAt) return
      ofWallet.list = ofWallet.list.filter((order) => order.validUntil >= validUntil - LONG_PAST_S)
      ofWallet.tidyAt = Math.max(TIDIED_AT, ofWallet.list.length * 2)
    },
    of: (wallet, chainTime) => {
      const ofWallet = orders.get(wallet)
      if (ofWallet === undefined) return []
      ofWallet.list = ofWallet.list.filter(({ validUntil }) => validUntil >= chainTime - STEP_BACK_S)
      return ofWallet.list.filter(({ validUntil }) => validUntil >= chainTime).map(({ place }) => place)
    },
  }
}
