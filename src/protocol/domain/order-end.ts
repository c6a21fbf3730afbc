import type { Order } from './order.ts'
import type { Address, Hex } from './units.ts'

/** End of a signed order: by its taker, by its maker, or by its time. */
export type OrderEnd =
  /** The block `blockNumber` is final. */
  | { state: 'filled' | 'cancelled'; transactionHash: Hex; blockNumber: number }
  /** No later block can fill it. */
  | { state: 'expired' }

/** State of a signed order, as far as is known. */
export type OrderState = { state: 'open' } | OrderEnd

/** Terms of an order that was filled, without its nonce and its time. */
export type FilledTerms = Pick<Order, 'taker' | 'seriesId' | 'optionAmount' | 'premiumAmount' | 'makerSelling'>

/** Nonces of a maker that a transaction used: `mask` holds those that are `word` x 256 + bit. */
export type NonceUse = {
  maker: Address
  word: bigint
  mask: bigint
  /** Terms that were filled; null where its maker cancelled. */
  fill: FilledTerms | null
  transactionHash: Hex
  blockNumber: number
}

/** A use of one nonce. */
export const maskOf = (nonce: bigint): Pick<NonceUse, 'word' | 'mask'> => ({
  word: nonce >> 8n,
  mask: 1n << (nonce & 255n),
})

/** Makes a check of whether a nonce is among the uses, all of one maker. */
export function createNonceCheck(uses: readonly NonceUse[]): (nonce: number) => boolean {
  const words = new Map<bigint, bigint>()
  for (const { word, mask } of uses) words.set(word, (words.get(word) ?? 0n) | mask)
  return (nonce) => {
    const { word, mask } = maskOf(BigInt(nonce))
    return ((words.get(word) ?? 0n) & mask) !== 0n
  }
}

/** Whether a use is of the nonce of an order of the same maker. */
function isUseOf(use: Pick<NonceUse, 'word' | 'mask'>, nonce: number): boolean {
  const { word, mask } = maskOf(BigInt(nonce))
  return use.word === word && (use.mask & mask) !== 0n
}

/**
 * The end of an order by a use of its maker's nonces; null while no use ends it. A fill of other terms with the same nonce, which
 * only its maker can have signed, cancels it.
 */
export function endedBy(order: Order, uses: readonly NonceUse[]): OrderEnd | null {
  const use = uses.find((one) => isUseOf(one, order.nonce))
  if (use === undefined) return null
  const { transactionHash, blockNumber, fill } = use
  return { state: fill !== null && isFillOf(fill, order) ? 'filled' : 'cancelled', transactionHash, blockNumber }
}

const isFillOf = (fill: FilledTerms, order: Order): boolean =>
  fill.taker.toLowerCase() === order.taker.toLowerCase() &&
  fill.seriesId === order.seriesId &&
  fill.optionAmount === order.optionAmount &&
  fill.premiumAmount === order.premiumAmount &&
  fill.makerSelling === order.makerSelling
