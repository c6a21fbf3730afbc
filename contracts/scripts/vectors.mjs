import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { encodeAbiParameters, getAddress, keccak256, toHex } from 'viem'
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

/** Compiles the relay's own domain, the TypeScript side of the comparison. */
async function loadDomain() {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
  const { status } = spawnSync(process.execPath, [tsc, '-p', join(root, 'contracts/test/differential')], {
    stdio: 'inherit',
  })
  if (status !== 0) throw new Error('src/domain does not compile')
  /** @param {string} name */
  const load = (name) => import(join(cache, 'domain', `${name}.js`))
  return {
    ...(await load('order')),
    ...(await load('attestation')),
    ...(await load('series')),
    ...(await load('option')),
  }
}

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

/**
 * Writes vectors made by src/domain for forge to compare with the contracts, one ABI-encoded vector a line.
 * @param {number} count
 * @returns {Promise<string>} the file, relative to the root
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
      maxPayoff: domain.maxPayoff(terms.optionType, terms.strikeBps),
      payoff: domain.payoff(terms.optionType, terms.strikeBps, resolutionBps),
      collateral: domain.collateral(terms.optionType, terms.strikeBps, order.optionAmount),
    }
    return encodeAbiParameters(vectorAbi, [vector])
  })
  mkdirSync(cache, { recursive: true })
  writeFileSync(join(cache, 'vectors.txt'), `${lines.join('\n')}\n`)
  return 'contracts/cache/vectors.txt'
}
