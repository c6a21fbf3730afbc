type Input = { spot: number; strike: number; volatility: number; years: number }

const STEPS = 4_000

/**
 * The value of a call as the plain expectation of its payoff, by Simpson's rule from the kink upwards. The steps are
 * finest at the kink (z = kink + u^3), beside which the price climbs steeply when nearly all is known.
 */
export function callByIntegration({ spot, strike, volatility, years }: Input): number {
  const revealed = Math.sqrt(1 - Math.exp(-(volatility ** 2) * years))
  const hidden = Math.exp((-(volatility ** 2) * years) / 2)
  if (revealed === 0) return Math.max(0, spot - strike)
  const start = bisect((z) => cdf(z) - spot)
  const later = (z: number) => cdf((start + revealed * z) / hidden)
  const kink = Math.min(
    12,
    Math.max(
      -12,
      bisect((z) => later(z) - strike, 1e9),
    ),
  )
  const gain = (z: number) => density(z) * Math.max(0, later(z) - strike)
  return simpson((u) => gain(kink + u ** 3) * 3 * u ** 2, 0, Math.cbrt(12 - kink))
}

/** The normal distribution function by its power series, or by its continued fraction in the tails. */
export function cdf(x: number): number {
  const magnitude = Math.abs(x)
  if (magnitude > 38) return x < 0 ? 0 : 1
  const tail = magnitude < 4 ? 0.5 - density(magnitude) * series(magnitude) : density(magnitude) / fraction(magnitude)
  return x < 0 ? tail : 1 - tail
}

const density = (x: number): number => Math.exp(-x * x * 0.5) / Math.sqrt(2 * Math.PI)

function series(x: number): number {
  let term = x
  let sum = x
  for (let n = 3; term > sum * 1e-17; n += 2) {
    term *= (x * x) / n
    sum += term
  }
  return sum
}

function fraction(x: number): number {
  let value = x
  for (let n = 120; n >= 1; n -= 1) value = x + n / value
  return value
}

function bisect(f: (z: number) => number, reach = 40): number {
  let low = -reach
  let high = reach
  for (let i = 0; i < 200; i += 1) {
    const middle = (low + high) / 2
    if (f(middle) < 0) low = middle
    else high = middle
  }
  return (low + high) / 2
}

function simpson(f: (z: number) => number, from: number, to: number): number {
  const h = (to - from) / STEPS
  let sum = f(from) + f(to)
  for (let i = 1; i < STEPS; i += 1) sum += f(from + i * h) * (i % 2 === 1 ? 4 : 2)
  return (sum * h) / 3
}
