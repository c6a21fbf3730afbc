import fc from 'fast-check'
import { hashTypedData } from 'viem/utils'
import { expect, test } from 'vitest'
import {
  COMMIT_TYPES,
  commitDigest,
  commitTypedData,
  type ProvenCommit,
} from '../../../src/protocol/domain/commit-proof.ts'
import { orderDomain } from '../../../src/protocol/domain/order.ts'
import { contracts, usd6 } from '../../../src/protocol/domain/units.ts'
import * as arbitrary from '../../support/arbitraries.ts'
import { ethersCommitDigest, ethersCommitTypes } from '../../support/oracles/ethers-signing.ts'

const domain = orderDomain(80_002, '0x0000000000000000000000000000000000000001')
const commit: ProvenCommit = {
  requestId: '6a1f8e0e-3d7c-4a57-9b69-0c8f3f2c7d11',
  wallet: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  limitPrice: usd6(120_000n),
  minContracts: contracts(400n),
  expectedQuoteId: null,
}

const anyCommit: fc.Arbitrary<ProvenCommit> = fc.record({
  requestId: fc.uuid(),
  wallet: arbitrary.address,
  limitPrice: fc.option(arbitrary.price),
  minContracts: fc.option(arbitrary.size),
  expectedQuoteId: fc.option(fc.uuid()),
  firmOnly: fc.boolean(),
})

test('the typed data of a commit has the golden digest', () => {
  expect(commitDigest(commit, domain)).toBe('0x9c419e1313a7a23f2887a5d09cba133faa046760b1b0797efbe7a0d56787bd29')
})

test('the typed data of a commit is the six fields of the protocol, in its order', () => {
  expect(COMMIT_TYPES).toEqual(ethersCommitTypes)
})

test('the digest of a commit is that of two other implementations, for any terms', () => {
  fc.assert(
    fc.property(anyCommit, arbitrary.domain('ServiceRFQSettlement'), (any, anyDomain) => {
      expect(commitDigest(any, anyDomain)).toBe(hashTypedData(commitTypedData(any, anyDomain)))
      expect(commitDigest(any, anyDomain)).toBe(ethersCommitDigest(any, anyDomain))
    }),
  )
})

test.each<Partial<ProvenCommit>>([
  { requestId: '6a1f8e0e-3d7c-4a57-9b69-0c8f3f2c7d12' },
  { wallet: '0x000000000000000000000000000000000000dEaD' },
  { limitPrice: usd6(120_001n) },
  { limitPrice: null },
  { minContracts: contracts(401n) },
  { minContracts: null },
  { expectedQuoteId: '6a1f8e0e-3d7c-4a57-9b69-0c8f3f2c7d11' },
  { firmOnly: true },
])('a commit with another term has another digest: %o', (other) => {
  expect(commitDigest({ ...commit, ...other }, domain)).not.toBe(commitDigest(commit, domain))
})
