import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeAbiParameters, getAddress, keccak256, toHex } from 'viem'
import { build } from '../../scripts/build.mjs'
import { root } from './compile.mjs'

const cache = join(root, 'contracts/cache')

/** The struct `Vector` of contracts/test/differential/Differential.t.sol. */
const vectorAbi = [
  {
    type: 'tuple',
    components: [
      {
        name: 'order',
        type: 'tuple',
        components: [
          { name: 'maker', type: 'address' },
          { name: 'seriesId', type: 'uint256' },
          { name: 'optionAmount', type: 'uint256' },
          { name: 'premiumAmount', type: 'uint256' },
          { name: 'makerSelling', type: 'bool' },
          { name: 'taker', type: 'address' },
          { name: 'validUntil', type: 'uint256' },
          { name: 'nonce', type: 'uint256' },
        ],
      },
      { name: 'chainId', type: 'uint256' },
      { name: 'verifyingContract', type: 'address' },
      { name: 'orderDigest', type: 'bytes32' },
      { name: 'resolutionBps', type: 'uint16' },
      { name: 'attestationDigest', type: 'bytes32' },
      { name: 'conditionId', type: 'bytes32' },
      { name: 'yesClobTokenId', type: 'uint256' },
      { name: 'strikeBps', type: 'uint16' },
      { name: 'expiry', type: 'uint64' },
      { name: 'optionType', type: 'uint8' },
      { name: 'seriesId', type: 'uint256' },
      { name: 'maxPayoff', type: 'uint256' },
      { name: 'payoff', type: 'uint256' },
      { name: 'collateral', type: 'uint256' },
    ],
  },
]

/** The struct `PackageVector` of the same file. */
const packageVectorAbi = [
  {
    type: 'tuple',
    components: [
      { name: 'conditionId', type: 'bytes32' },
      { name: 'yesClobTokenId', type: 'uint256' },
      { name: 'legs', type: 'uint256' },
      { name: 'expiry', type: 'uint64' },
      { name: 'seriesId', type: 'uint256' },
      { name: 'floor', type: 'int256' },
      { name: 'maxPayoff', type: 'uint256' },
      { name: 'amount', type: 'uint256' },
      { name: 'collateral', type: 'uint256' },
      { name: 'resolutionBps', type: 'uint16' },
      { name: 'payoff', type: 'uint256' },
    ],
  },
]

/** The relay's own domain, the TypeScript side of a comparison, built unless it just was. @returns {Promise<any>} */
export async function loadDomain({ isBuilt = false } = {}) {
  if (!isBuilt) await build()
  /** @param {string} name */
  const load = (name) => import(join(root, 'dist/modules/protocol/domain', `${name}.js`))
  return {
    ...(await load('order')),
    ...(await load('attestation')),
    ...(await load('series')),
    ...(await load('option')),
  }
}

/** @typedef {ReturnType<typeof createDice>} Dice */

/** The same numbers on every run: keccak of a counter, with the ends of each range drawn often. */
function createDice() {
  let count = 0n
  const draw = () => BigInt(keccak256(toHex(count++, { size: 32 })))
  /** @param {bigint} min @param {bigint} max */
  const between = (min, max) => {
    const [face, value] = [draw() % 16n, draw()]
    if (face === 0n) return min
    if (face === 1n) return max
    return min + (value % (max - min + 1n))
  }
  return {
    between,
    address: () => getAddress(toHex(draw() >> 96n, { size: 20 })),
    word: () => toHex(draw(), { size: 32 }),
  }
}

/** A package in its normal form: what src/protocol/domain refuses is drawn again. @param {any} domain @param {Dice} dice @returns {any} */
function drawPackage(domain, dice) {
  const legs = Array.from({ length: Number(dice.between(2n, 4n)) }, () => ({
    optionType: dice.between(0n, 1n) === 0n ? 'call' : 'put',
    strikeBps: Number(dice.between(1n, 9_999n)),
    quantity: Number(dice.between(-4n, 4n)),
  }))
  try {
    return domain.normalPackage(legs)
  } catch (error) {
    if (/** @type {any} */ (error).code !== 'invalid_package') throw error
    return drawPackage(domain, dice)
  }
}

/**
 * A package of which all legs are bought or all sold, near the end where they are worth most: its floor or its largest payoff is near
 * 15 dollars, the most that there is. @param {any} domain @param {Dice} dice @returns {any}
 */
function drawWidePackage(domain, dice) {
  const [sign, isCall] = [dice.between(0n, 1n) === 0n ? 1 : -1, dice.between(0n, 1n) === 0n]
  const legs = Array.from({ length: 4 }, (_, i) => {
    const strikeBps = 100 * i + Number(dice.between(1n, 99n))
    return {
      optionType: isCall ? 'call' : 'put',
      strikeBps: isCall ? strikeBps : 10_000 - strikeBps,
      quantity: sign * (i === 0 ? 3 : 4),
    }
  })
  return domain.normalPackage(legs)
}

/** @param {any} domain @param {Dice} dice @param {boolean} isWide */
function packageVector(domain, dice, isWide) {
  const option = isWide ? drawWidePackage(domain, dice) : drawPackage(domain, dice)
  const [conditionId, yesTokenId] = [dice.word(), BigInt(dice.word())]
  // The core keeps an expiry in 40 bits.
  const expiry = Number(dice.between(2n, (1n << 40n) - 1n))
  const amount = dice.between(1n, (1n << 79n) - 1n)
  const resolutionBps = Number(dice.between(0n, 100n))
  return {
    conditionId,
    yesClobTokenId: yesTokenId,
    legs: domain.packLegs(option.legs),
    expiry: BigInt(expiry),
    seriesId: BigInt(domain.seriesIdOf({ ...option, conditionId, yesTokenId: yesTokenId.toString(), expiry })),
    floor: domain.floorOf(option),
    maxPayoff: domain.maxPayoff(option),
    amount,
    collateral: domain.collateral(option, amount),
    resolutionBps,
    payoff: domain.payoff(option, resolutionBps),
  }
}

/** @param {string} name @param {string[]} lines */
function writeLines(name, lines) {
  mkdirSync(cache, { recursive: true })
  writeFileSync(join(cache, name), `${lines.join('\n')}\n`)
}

/**
 * Writes vectors made by src/protocol/domain for forge to compare with the contracts, one ABI-encoded vector a line: `vectors.txt` of calls
 * and puts, and a fifth as many of packages, `package-vectors.txt`, both under contracts/cache.
 * @param {number} count
 */
export async function writeVectors(count) {
  const domain = await loadDomain()
  const dice = createDice()
  const safe = BigInt(Number.MAX_SAFE_INTEGER)
  const places = Array.from({ length: 8 }, () => ({ chainId: Number(dice.between(1n, 1n << 31n)), at: dice.address() }))

  const lines = Array.from({ length: count }, (_, index) => {
    const { chainId, at } = places[index % places.length]
    const terms = {
      conditionId: dice.word(),
      yesTokenId: BigInt(dice.word()).toString(),
      strikeBps: Number(dice.between(1n, 9_999n)),
      expiry: Number(dice.between(1n, safe)),
      optionType: dice.between(0n, 1n) === 0n ? 'call' : 'put',
    }
    const seriesId = domain.seriesIdOf(terms)
    const order = {
      maker: dice.address(),
      seriesId,
      optionAmount: dice.between(1n, (1n << 128n) - 1n),
      premiumAmount: dice.between(0n, (1n << 148n) - 1n),
      makerSelling: dice.between(0n, 1n) === 0n,
      taker: dice.address(),
      validUntil: Number(dice.between(0n, safe)),
      nonce: Number(dice.between(0n, safe)),
    }
    const resolutionBps = Number(dice.between(0n, 100n))
    const attestation = { seriesId, resolutionBps, validUntil: order.validUntil }
    const vector = {
      order: { ...order, seriesId: BigInt(seriesId), validUntil: BigInt(order.validUntil), nonce: BigInt(order.nonce) },
      chainId: BigInt(chainId),
      verifyingContract: at,
      orderDigest: domain.orderDigest(order, domain.orderDomain(chainId, at)),
      resolutionBps,
      attestationDigest: domain.attestationDigest(attestation, domain.attestationDomain(chainId, at)),
      conditionId: terms.conditionId,
      yesClobTokenId: BigInt(terms.yesTokenId),
      strikeBps: terms.strikeBps,
      expiry: BigInt(terms.expiry),
      optionType: domain.optionTypeNumber(terms.optionType),
      seriesId: BigInt(seriesId),
      maxPayoff: domain.maxPayoff(terms),
      payoff: domain.payoff(terms, resolutionBps),
      collateral: domain.collateral(terms, order.optionAmount),
    }
    return encodeAbiParameters(vectorAbi, [vector])
  })
  writeLines('vectors.txt', lines)
  const packages = Array.from({ length: count / 5 }, (_, index) => packageVector(domain, dice, index % 10 === 0))
  writeLines(
    'package-vectors.txt',
    packages.map((vector) => encodeAbiParameters(packageVectorAbi, [vector])),
  )
}
