import fc from 'fast-check'
import { hashTypedData } from 'viem/utils'
import { expect, test } from 'vitest'
import {
  contractPayment,
  fillAuthorizationDigest,
  fillAuthorizationTypedData,
  PAYMENT_METHODS,
} from '../../../src/protocol/domain/gasless-fill.ts'
import { typeHashOf } from '../../../src/protocol/domain/typed-data.ts'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import * as arbitrary from '../../support/arbitraries.ts'

test("a taker's authorisation has the types of the contract", () => {
  const [authorization] = fc.sample(arbitrary.fillAuthorization, 1)
  const [domain] = fc.sample(arbitrary.domain('ServiceRFQSettlement'), 1)
  if (authorization === undefined || domain === undefined) throw new Error('nothing was sampled')
  const { types } = fillAuthorizationTypedData(authorization, domain)
  // keccak256("FillAuthorization(bytes32 orderHash,uint256 maxFee,address feeRecipient,uint256 deadline,address partner,uint16 partnerBps)")
  expect(typeHashOf('FillAuthorization', types.FillAuthorization)).toBe(
    '0x1b8e38448e6986549efde3a817a77e194aaa04a30ae30ae71834cdf5930c7a1c',
  )
})

test('the digest of a fill authorization is that of its typed data, for any fields', () => {
  fc.assert(
    fc.property(arbitrary.fillAuthorization, arbitrary.domain('ServiceRFQSettlement'), (authorization, domain) => {
      const typedData = fillAuthorizationTypedData(authorization, domain)
      expect(fillAuthorizationDigest(authorization, domain)).toBe(hashTypedData(typedData))
    }),
  )
})

test('ways to pay have the numbers of the enum of the contract', () => {
  const empty = { value: usd6(0n), nonce: 0n, deadline: 0, signature: '0x' } as const
  expect(PAYMENT_METHODS.map((method) => [method, contractPayment({ ...empty, method }).method])).toEqual([
    ['allowance', 0],
    ['permit', 1],
    ['authorization', 2],
    ['permit2', 3],
  ])
})
