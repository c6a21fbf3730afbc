import { keccak256 } from 'viem/utils'
import { expect, test } from 'vitest'
import { payoff } from '../../../src/protocol/domain/option.ts'
import type { ResolutionBps, StrikeBps } from '../../../src/protocol/domain/units.ts'

/** Of every payoff; contracts/test/differential/EveryPayoff.t.sol comes to the same hash with the contract's own code. */
const EVERY_PAYOFF = '0xac93640205fd62e4a008e29a6aa7af6fb8096a574a873eec0830f97495045379'

test('at every strike and resolution an option pays what the contract pays (fault G14)', () => {
  let hash = new Uint8Array(32)
  const row = Buffer.alloc(101 * 2 * 4)
  for (let strike = 1; strike < 10_000; strike += 1) {
    for (let resolution = 0; resolution <= 100; resolution += 1) {
      const [strikeBps, resolutionBps] = [strike as StrikeBps, resolution as ResolutionBps]
      row.writeUInt32BE(Number(payoff({ optionType: 'call', strikeBps }, resolutionBps)), resolution * 8)
      row.writeUInt32BE(Number(payoff({ optionType: 'put', strikeBps }, resolutionBps)), resolution * 8 + 4)
    }
    hash = new Uint8Array(keccak256(Buffer.concat([hash, row]), 'bytes'))
  }
  expect(`0x${Buffer.from(hash).toString('hex')}`).toBe(EVERY_PAYOFF)
})
