import type { Rounding } from '../../../src/protocol/domain/decimal.ts'

/** The digits of a number's text with the exponent worked out, digit by digit, as on paper. */
export function decimalDigits(text: string): { negative: boolean; whole: string; fraction: string } {
  const negative = text.startsWith('-')
  const [mantissa = '', exponent = '0'] = text.replace(/^-/, '').split('e')
  let [whole = '', fraction = ''] = mantissa.split('.')
  for (let shift = Number(exponent); shift > 0; shift--) {
    whole += fraction.slice(0, 1) || '0'
    fraction = fraction.slice(1)
  }
  for (let shift = Number(exponent); shift < 0; shift++) {
    fraction = (whole.slice(-1) || '0') + fraction
    whole = whole.slice(0, -1)
  }
  return { negative, whole: whole || '0', fraction }
}

/** A number's decimal text cut after `decimals` places and rounded by looking at the characters cut off. */
export function fixedPointFromText(value: number, decimals: number, rounding: Rounding): bigint {
  const { negative, whole, fraction } = decimalDigits(String(value))
  const kept = BigInt(whole + fraction.padEnd(decimals, '0').slice(0, decimals))
  const cut = fraction.slice(decimals)
  const roundsUp = rounding === 'up' ? /[1-9]/.test(cut) : rounding === 'half-up' && cut >= '5'
  const magnitude = roundsUp ? kept + 1n : kept
  return negative ? -magnitude : magnitude
}
