// Packages, and what they pay at every resolution: worked out once more, by slopes, in code that shares nothing with src/protocol/domain or with
// contracts/src. contracts/test/proof/PackageRows.sol counts the same packages off in the same order.

/**
 * @typedef {{ optionType: 'call' | 'put', strikeBps: number, quantity: number }} Leg
 */

/** Resolutions of a row: 0 to 100. */
export const RESOLUTIONS = 101
/** Bytes of a row: most, floor, and what is paid at each resolution, in four bytes each. */
export const ROW_BYTES = 4 * (RESOLUTIONS + 2)

const sizes = [-4, -3, -2, -1, 1, 2, 3, 4]

/** Every pair of quantities without a common divisor. */
export const quantityPairs = sizes.flatMap((a) => sizes.filter((b) => divisor(a, b) === 1).map((b) => [a, b]))

/** Calls, then puts, with strikes that are whole multiples of `step` cents. @param {number} step */
export function optionsOn(step) {
  const strikes = Array.from({ length: Math.ceil(100 / step) - 1 }, (_, i) => 100 * step * (i + 1))
  return /** @type {const} */ (['call', 'put']).flatMap((optionType) =>
    strikes.map((strikeBps) => ({ optionType, strikeBps })),
  )
}

/** The packages of two legs whose first is one of these options. @param {ReturnType<typeof optionsOn>} options @param {number} first */
export function* pairsOf(options, first) {
  for (let second = first + 1; second < options.length; second++) {
    for (const [a, b] of quantityPairs) {
      yield [
        { ...options[first], quantity: a },
        { ...options[second], quantity: b },
      ]
    }
  }
}

/**
 * A package of three or four legs by the number of its draw, null where the draw is none: an option twice, a common divisor, or the
 * same payoff everywhere.
 * @param {bigint} draw 256 random bits
 * @returns {Leg[] | null}
 */
export function packageOf(draw) {
  const legs = Array.from({ length: 3 + Number(draw & 1n) }, (_, i) => {
    const chunk = Number((draw >> BigInt(8 + 40 * i)) & 0xff_ffff_ffffn)
    const [strikeBps, isPut, size] = [1 + ((chunk % 65_536) % 9_999), Math.floor(chunk / 65_536) % 2, chunk / 131_072]
    return {
      optionType: /** @type {'call' | 'put'} */ (isPut === 1 ? 'put' : 'call'),
      strikeBps,
      quantity: /** @type {number} */ (sizes[Math.floor(size) % 8]),
    }
  })
  const rank = (/** @type {Leg} */ leg) => (leg.optionType === 'put' ? 10_000 : 0) + leg.strikeBps
  legs.sort((a, b) => rank(a) - rank(b))
  const isTwice = legs.some((leg, i) => i > 0 && rank(leg) === rank(/** @type {Leg} */ (legs[i - 1])))
  const common = legs.reduce((sum, { quantity }) => divisor(sum, quantity), 0)
  return isTwice || common !== 1 || rowOf(legs).readUInt32BE(0) === 0 ? null : legs
}

/**
 * What a package pays, by slopes: a leg is worth nothing on one side of its strike, and a cent more for each cent on the other. Counted
 * up from 0 for calls and down from 100 for puts, with the part of a cent between the strike and the next resolution.
 * @param {readonly Leg[]} legs
 */
export function rowOf(legs) {
  const worth = new Int32Array(RESOLUTIONS)
  for (const { optionType, strikeBps, quantity } of legs) {
    const isCall = optionType === 'call'
    const distance = isCall ? strikeBps : 10_000 - strikeBps
    let value = 0
    for (let steps = 1; steps < RESOLUTIONS; steps++) {
      if (100 * steps > distance) value += 100 * Math.min(100, 100 * steps - distance)
      worth[isCall ? steps : 100 - steps] += quantity * value
    }
  }
  const floor = worth.reduce((a, b) => Math.min(a, b))
  const row = Buffer.alloc(ROW_BYTES)
  row.writeUInt32BE(worth.reduce((a, b) => Math.max(a, b)) - floor, 0)
  row.writeInt32BE(floor, 4)
  worth.forEach((value, i) => void row.writeUInt32BE(value - floor, 8 + 4 * i))
  return row
}

/** @param {number} a @param {number} b @returns {number} */
function divisor(a, b) {
  return b === 0 ? Math.abs(a) : divisor(b, a % b)
}
