import { getAddress } from 'viem/utils'
import type { Address } from './units.ts'

/**
 * An address in its checksummed form, or null when the text is not one: 0x and 40 digits in one case or with the right checksum,
 * never the zero address.
 */
export function parseAddress(text: string): Address | null {
  const digits = /^0x([0-9a-fA-F]{40})$/.exec(text)?.[1]
  if (digits === undefined) return null
  const address = getAddress(`0x${digits.toLowerCase()}`)
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase()
  return (isOneCase || address === text) && BigInt(address) !== 0n ? address : null
}
