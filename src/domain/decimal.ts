import { type Usd6, usd6 } from './units.ts'

/** What happens to digits beyond the scale: away from zero, towards zero, or to the nearest with halves up. */
export type Rounding = 'up' | 'down' | 'half-up'

/** A decimal fraction `digits / 10^scale`, exactly as its text says; `scale` may be negative. */
type Decimal = { negative: boolean; digits: bigint; scale: number }

const NUMBER_TEXT = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/

/**
 * A finite number as an integer count of 10^-decimals, made from its shortest decimal text, so that 0.1 is a tenth
 * and not the double beside it (ruling U2).
 * Returns null for NaN and the infinities.
 */
export function toFixedPoint(value: number, decimals: number, rounding: Rounding): bigint | null {
  if (!Number.isFinite(value)) return null
  const { negative, digits, scale } = parseNumber(value)
  const magnitude = rescale(digits, decimals - scale, rounding)
  return negative ? -magnitude : magnitude
}

/** A number of dollars as micro-dollars (ruling U2). Returns null for NaN and the infinities. */
export function toUsd6(dollars: number, rounding: Rounding): Usd6 | null {
  const micro = toFixedPoint(dollars, 6, rounding)
  return micro === null ? null : usd6(micro)
}

/** Micro-dollars as decimal text of dollars without trailing zeros: 99960000n is "99.96". */
export function formatUsd6(amount: Usd6): string {
  const magnitude = amount < 0n ? -amount : amount
  const fraction = (magnitude % 1_000_000n).toString().padStart(6, '0').replace(/0+$/, '')
  const whole = `${amount < 0n ? '-' : ''}${magnitude / 1_000_000n}`
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** Micro-dollars as the JSON number of dollars whose text is exact; amounts stay far below 2^53 micro-dollars (ruling U2). */
export const usd6ToNumber = (amount: Usd6): number => Number(formatUsd6(amount))

function parseNumber(value: number): Decimal {
  const match = NUMBER_TEXT.exec(String(value))
  if (match === null) throw new Error(`no decimal text: ${value}`)
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  return { negative: sign === '-', digits: BigInt(whole + fraction), scale: fraction.length - Number(exponent) }
}

function rescale(digits: bigint, shift: number, rounding: Rounding): bigint {
  if (shift >= 0) return digits * 10n ** BigInt(shift)
  const divisor = 10n ** BigInt(-shift)
  const quotient = digits / divisor
  const remainder = digits % divisor
  const roundsUp = rounding === 'up' ? remainder > 0n : rounding === 'half-up' && remainder * 2n >= divisor
  return roundsUp ? quotient + 1n : quotient
}
