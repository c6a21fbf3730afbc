import { decimalDigits } from './decimal-text.ts'

/** An exact fraction with a positive denominator; not reduced. */
export type Rational = { n: bigint; d: bigint }

export const rational = (n: bigint, d = 1n): Rational => (d < 0n ? { n: -n, d: -d } : { n, d })

/** The fraction that a number's decimal text says: 0.1 is one tenth. */
export function rationalOf(value: number): Rational {
  const { negative, whole, fraction } = decimalDigits(String(value))
  const magnitude = rational(BigInt(whole + fraction), 10n ** BigInt(fraction.length))
  return negative ? rational(-magnitude.n, magnitude.d) : magnitude
}

export const add = (a: Rational, b: Rational): Rational => rational(a.n * b.d + b.n * a.d, a.d * b.d)
export const subtract = (a: Rational, b: Rational): Rational => add(a, rational(-b.n, b.d))
export const multiply = (a: Rational, b: Rational): Rational => rational(a.n * b.n, a.d * b.d)
export const divide = (a: Rational, b: Rational): Rational => rational(a.n * b.d, a.d * b.n)
export const compare = (a: Rational, b: Rational): number =>
  Number(a.n * b.d > b.n * a.d) - Number(a.n * b.d < b.n * a.d)

export const positivePart = (a: Rational): Rational => (a.n > 0n ? a : rational(0n))

/** The largest integer not above a fraction. */
export function floor({ n, d }: Rational): bigint {
  const towardsZero = n / d
  return n < 0n && n % d !== 0n ? towardsZero - 1n : towardsZero
}

/** The nearest integer; of two equally near ones the larger. */
export const roundHalfUp = (a: Rational): bigint => floor(add(a, rational(1n, 2n)))
