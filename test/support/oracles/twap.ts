import type { PricePoint } from '../../../src/protocol/domain/twap.ts'
import { add, compare, divide, type Rational, rational, rationalOf } from './rational.ts'

/** The average price over a window, by looking up the price of every single second; null when no point lies in it. */
export function twapSecondBySecond(
  points: readonly PricePoint[],
  windowStart: number,
  windowEnd: number,
): Rational | null {
  const priceAt = (second: number): number | null => {
    let latest: PricePoint | null = null
    for (const point of points) {
      if (point.t < windowStart || point.t > second || !(point.p >= 0 && point.p <= 1)) continue
      if (latest === null || point.t >= latest.t) latest = point
    }
    return latest?.p ?? null
  }
  const seconds: Rational[] = []
  for (let second = windowStart; second < windowEnd; second++) {
    const price = priceAt(second)
    if (price !== null) seconds.push(rationalOf(price))
  }
  const last = priceAt(windowEnd)
  if (seconds.length === 0) return last === null ? null : rationalOf(last)
  return divide(seconds.reduce(add), rational(BigInt(seconds.length)))
}

/** The longest run of seconds without a point, again by looking at each second. */
export function longestGap(points: readonly PricePoint[], windowStart: number, windowEnd: number): number {
  const times = new Set(points.map(({ t }) => t))
  let longest = 0
  let since = windowStart
  for (let second = windowStart; second <= windowEnd; second++) {
    longest = Math.max(longest, second - since)
    if (times.has(second)) since = second
  }
  return longest
}

/** Whether two fractions differ by less than 10^-12. */
export const isClose = (a: Rational, b: Rational): boolean => {
  const difference = add(a, rational(-b.n, b.d))
  const size = difference.n < 0n ? rational(-difference.n, difference.d) : difference
  return compare(size, rational(1n, 10n ** 12n)) < 0
}
