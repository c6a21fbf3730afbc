import { parseAddress } from './address.ts'
import { type Address, type Usd6, usd6 } from './units.ts'

/** Largest share of the premium that the settlement contract lets a partner take, basis points. */
export const MAX_PARTNER_BPS = 500

/** A share of the premium that a taker pays a partner, such as the operator of a page. */
export type PartnerFee = {
  /** Recipient of the share; neither the core nor the settlement contract. */
  recipient: Address
  /** Basis points of the premium, 1 to 500. */
  bps: number
}

/** A partner's share of a premium, micro-dollars, rounded down as by the contract; zero without a partner. */
export const partnerShare = (premium: Usd6, fee: PartnerFee | null): Usd6 =>
  usd6(fee === null ? 0n : (premium * BigInt(fee.bps)) / 10_000n)

/** Whether two fees are the same share for the same partner, or both none. */
export const isSamePartner = (a: PartnerFee | null, b: PartnerFee | null): boolean =>
  a?.recipient === b?.recipient && a?.bps === b?.bps

/** Reads `ADDRESS:BPS`; null where it is anything else. */
export function parsePartnerFee(text: string): PartnerFee | null {
  const [, address = '', digits = ''] = /^(0x[0-9a-fA-F]{40}):([1-9]\d{0,2})$/.exec(text) ?? []
  const [recipient, bps] = [parseAddress(address), Number(digits)]
  return recipient === null || bps > MAX_PARTNER_BPS ? null : { recipient, bps }
}
