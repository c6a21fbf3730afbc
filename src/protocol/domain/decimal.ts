import { type Usd6, usd6 } from './units.ts'

/** Rounding away from zero, towards zero, or to the nearest with halves up. */
export type Rounding = 'up' | 'down' | 'half-up'

/**
 * A finite number as an integer count of 10^-decimals, made from its shortest decimal text, so that 0.1 is a tenth
 * and not the double beside it (decision U2).
 * Returns null for NaN and the infinities.
 */
export function toFixedPoint(value: number, decimals: number, rounding: Rounding): bigint | null {
  if (!Number.isFinite(value)) return null
  const { digits, scale } = parseMagnitude(value)
  const magnitude = rescale(digits, decimals - scale, rounding)
  return value < 0 ? -magnitude : magnitude
}

/**
 * Converts a number of dollars to micro-dollars (decision U2).
 * @param dollars - The number; its shortest decimal text counts, so that 0.1 is a tenth.
 * @param rounding - The rounding of digits beyond the sixth.
 * @returns Micro-dollars; null for NaN and the infinities.
 * @example
 * import { toUsd6 } from 'rfqctl/client'
 *
 * toUsd6(0.5, 'half-up') // 500_000n
 */
export function toUsd6(dollars: number, rounding: Rounding): Usd6 | null {
  const micro = Math.round(dollars * 1e6)
  // A text of at most 6 decimals and 15 digits, as nearly every price: then division gives the very same double back, and
  // no other such text does. 0.1 µs in place of 0.9.
  if (micro / 1e6 === dollars && Math.abs(micro) < 1e15) return usd6(BigInt(micro))
  const exact = toFixedPoint(dollars, 6, rounding)
  return exact === null ? null : usd6(exact)
}

/**
 * Writes micro-dollars as dollars.
 * @param amount - Micro-dollars.
 * @returns Decimal text without trailing zeros.
 * @example
 * import { formatUsd6, usd6 } from 'rfqctl/client'
 *
 * formatUsd6(usd6(99_960_000n)) // '99.96'
 */
export function formatUsd6(amount: Usd6): string {
  const magnitude = amount < 0n ? -amount : amount
  const fraction = (magnitude % 1_000_000n).toString().padStart(6, '0').replace(/0+$/, '')
  const whole = `${amount < 0n ? '-' : ''}${magnitude / 1_000_000n}`
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** Digits by thousands: 2510 is 2,510. */
export const grouped = (digits: string): string => digits.replace(/\B(?=(\d{3})+$)/g, ',')

/** Micro-dollars in a sentence: $1,234.50, $99.9990. Two, four or six decimals, at least `decimals`; never rounded. */
export function usdText(amount: Usd6, decimals: 2 | 4 | 6 = 2): string {
  const [whole = '', fraction = ''] = formatUsd6(usd6(amount < 0n ? -amount : amount)).split('.')
  return `${amount < 0n ? '-' : ''}$${grouped(whole)}.${fraction.padEnd(Math.max(decimals, fraction.length + (fraction.length % 2)), '0')}`
}

/**
 * Makes a JSON number of dollars whose text is exact; amounts stay far below 2^53 micro-dollars (decision U2).
 * @param amount - Micro-dollars.
 * @returns Dollars.
 * @example
 * import { usd6, usd6ToNumber } from 'rfqctl/client'
 *
 * usd6ToNumber(usd6(120_000n)) // 0.12
 */
export const usd6ToNumber = (amount: Usd6): number => Number(amount) / 1e6

/** The size of a number as `digits / 10^scale`, from its shortest text in the one form `d.ddde+x`. */
function parseMagnitude(value: number): { digits: bigint; scale: number } {
  const text = Math.abs(value).toExponential()
  const end = text.indexOf('e')
  const digits = text.slice(0, end).replace('.', '')
  return { digits: BigInt(digits), scale: digits.length - 1 - Number(text.slice(end + 1)) }
}

function rescale(digits: bigint, shift: number, rounding: Rounding): bigint {
  if (shift >= 0) return digits * 10n ** BigInt(shift)
  const divisor = 10n ** BigInt(-shift)
  const quotient = digits / divisor
  const remainder = digits % divisor
  const roundsUp = rounding === 'up' ? remainder > 0n : rounding === 'half-up' && remainder * 2n >= divisor
  return roundsUp ? quotient + 1n : quotient
}
