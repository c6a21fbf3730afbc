import type { Load } from './rows.ts'

/** The confirmed orders that wallets may still have to honour. */
export type Owed = {
  note: (wallet: string, validUntil: number, load: Load<'executed'>) => void
  /** Those with `validUntil` at or after `chainTime`, Unix seconds. */
  of: (wallet: string, chainTime: number) => readonly Load<'executed'>[]
}

/** How far chain time may step back in a reorganisation, in seconds; orders that lapsed longer ago are let go. */
const STEP_BACK_S = 3_600

/** An empty index; wallets are in lower case. */
export function createOwed(): Owed {
  const orders = new Map<string, { validUntil: number; load: Load<'executed'> }[]>()
  return {
    note: (wallet, validUntil, load) => {
      const ofWallet = orders.get(wallet) ?? []
      ofWallet.push({ validUntil, load })
      orders.set(wallet, ofWallet)
    },
    of: (wallet, chainTime) => {
      const kept = (orders.get(wallet) ?? []).filter(({ validUntil }) => validUntil >= chainTime - STEP_BACK_S)
      if (orders.has(wallet)) orders.set(wallet, kept)
      return kept.filter(({ validUntil }) => validUntil >= chainTime).map(({ load }) => load)
    },
  }
}
