import { encodeAbiParameters, keccak256 } from 'viem/utils'
import { expect, test } from 'vitest'
import {
  optionsOn,
  packageOf,
  pairsOf,
  quantityPairs,
  ROW_BYTES,
  rowOf,
} from '../../../contracts/scripts/package-rows.mjs'
import { floorOf, type Leg, maxPayoff, payoff } from '../../../src/protocol/domain/option.ts'
import type { ResolutionBps } from '../../../src/protocol/domain/units.ts'

/** Of some packages; contracts/test/proof/Packages.t.sol comes to the same hash with the core's own code. `npm run payoffs` takes all. */
const SOME = '0xc064d23661249761f8ecb1d6b428d33a8bdbd2681f21452128c993b4388281e6'

test('a package pays what the core says and what a computation by slopes says, at every resolution (decision K1)', () => {
  const options = optionsOn(15)
  let hash: Uint8Array = new Uint8Array(32)
  for (let first = 0; first < options.length; first += 1) {
    hash = keccak256(Buffer.concat([hash, hashOf(pairsOf(options, first), quantityPairs.length)]), 'bytes')
  }
  hash = keccak256(Buffer.concat([hash, hashOf(drawn(200), 1)]), 'bytes')
  expect(`0x${Buffer.from(hash).toString('hex')}`).toBe(SOME)
})

/** Rows of packages, some of them at each step of the hash. */
function hashOf(packages: Iterable<readonly Leg[]>, size: number): Uint8Array {
  let hash: Uint8Array = new Uint8Array(32)
  let rows: Buffer[] = []
  for (const legs of packages) {
    const row = domainRow(legs)
    if (!row.equals(rowOf(legs))) expect.fail(`slopes differ for ${JSON.stringify(legs)}`)
    rows.push(row)
    if (rows.length < size) continue
    hash = keccak256(Buffer.concat([hash, ...rows]), 'bytes')
    rows = []
  }
  return hash
}

function* drawn(count: number): Generator<Leg[]> {
  for (let [draw, found] = [0n, 0]; found < count; draw += 1n) {
    const legs = packageOf(BigInt(keccak256(encodeAbiParameters([{ type: 'uint256' }], [draw]))))
    if (legs === null) continue
    found += 1
    yield legs
  }
}

function domainRow(legs: readonly Leg[]): Buffer {
  const row = Buffer.alloc(ROW_BYTES)
  row.writeUInt32BE(Number(maxPayoff({ legs })), 0)
  row.writeInt32BE(Number(floorOf({ legs })), 4)
  for (let resolution = 0; resolution <= 100; resolution += 1) {
    row.writeUInt32BE(Number(payoff({ legs }, resolution as ResolutionBps)), 8 + 4 * resolution)
  }
  return row
}
