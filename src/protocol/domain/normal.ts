/** A ratio of two polynomials, coefficients from the constant term upwards, as the doubles nearest the published ones. */
type Rational = { numerator: readonly number[]; denominator: readonly number[] }

const CENTRE: Rational = {
  numerator: [
    3.3871328727963665, 133.14166789178438, 1971.5909503065513, 13731.69376550946, 45921.95393154987, 67265.7709270087,
    33430.57558358813, 2509.0809287301227,
  ],
  denominator: [
    1, 42.31333070160091, 687.1870074920579, 5394.196021424751, 21213.794301586597, 39307.89580009271,
    28729.085735721943, 5226.495278852854,
  ],
}

const TAIL: Rational = {
  numerator: [
    1.4234371107496835, 4.630337846156546, 5.769497221460691, 3.6478483247632045, 1.2704582524523684,
    0.2417807251774506, 0.022723844989269184, 0.0007745450142783414,
  ],
  denominator: [
    1, 2.053191626637759, 1.6763848301838038, 0.6897673349851, 0.14810397642748008, 0.015198666563616457,
    0.0005475938084995345, 1.0507500716444169e-9,
  ],
}

const FAR_TAIL: Rational = {
  numerator: [
    6.657904643501103, 5.463784911164114, 1.7848265399172913, 0.29656057182850487, 0.026532189526576124,
    0.0012426609473880784, 0.000027115555687434876, 2.0103343992922881e-7,
  ],
  denominator: [
    1, 0.599832206555888, 0.1369298809227358, 0.014875361290850615, 0.0007868691311456133, 0.000018463183175100548,
    1.421511758316446e-7, 2.0442631033899397e-15,
  ],
}

/**
 * The standard normal quantile of a probability: -Infinity at 0, Infinity at 1, relative error about 1e-16.
 * @see M. J. Wichura, "Algorithm AS 241: The Percentage Points of the Normal Distribution", Applied Statistics 37(3), 1988
 */
export function probit(probability: number): number {
  const offset = probability - 0.5
  if (Math.abs(offset) <= 0.425) return offset * ratio(CENTRE, 0.180625 - offset * offset)
  const tail = offset < 0 ? probability : 1 - probability
  if (tail <= 0) return offset < 0 ? -Infinity : Infinity
  const depth = Math.sqrt(-Math.log(tail))
  const magnitude = depth <= 5 ? ratio(TAIL, depth - 1.6) : ratio(FAR_TAIL, depth - 5)
  return offset < 0 ? -magnitude : magnitude
}

const ratio = ({ numerator, denominator }: Rational, x: number): number =>
  polynomial(numerator, x) / polynomial(denominator, x)

const polynomial = (coefficients: readonly number[], x: number): number =>
  coefficients.reduceRight((sum, coefficient) => sum * x + coefficient, 0)

/**
 * The standard normal distribution function, absolute error about 1e-16, by its power series about 0; NaN of NaN.
 * @see G. Marsaglia, "Evaluating the normal distribution", Journal of Statistical Software 11(4), 2004
 */
export function normalDistribution(x: number): number {
  if (Math.abs(x) > 9) return x < 0 ? 0 : 1
  let term = x
  let sum = x
  // No number equals NaN, not even itself: a comparison that it fails ends the sum.
  for (let former = Infinity, n = 3; Math.abs(sum - former) > 0; n += 2) {
    former = sum
    term *= (x * x) / n
    sum += term
  }
  return 0.5 + (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI)
}
