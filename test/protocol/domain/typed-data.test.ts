import fc from 'fast-check'
import { hashTypedData, keccak256, stringToHex } from 'viem/utils'
import { expect, test } from 'vitest'
import { digestOfWords, type TypedDataDomain, typeHashOf } from '../../../src/protocol/domain/typed-data.ts'
import * as arbitrary from '../../support/arbitraries.ts'

const FIELDS = [
  { name: 'owner', type: 'address' },
  { name: 'amount', type: 'uint256' },
] as const

const ONE: TypedDataDomain = {
  name: 'One',
  version: '1',
  chainId: 1,
  verifyingContract: '0x0000000000000000000000000000000000000001',
}

const OWNER = '0x000000000000000000000000000000000000dEaD'
const digest = (domain: TypedDataDomain, amount: bigint) =>
  digestOfWords(domain, typeHashOf('Claim', FIELDS), [OWNER, amount])
const byViem = (domain: TypedDataDomain, amount: bigint) =>
  hashTypedData({ domain, types: { Claim: FIELDS }, primaryType: 'Claim', message: { owner: OWNER, amount } })

test('a type is hashed as EIP-712 writes it', () => {
  expect(typeHashOf('Claim', FIELDS)).toBe(keccak256(stringToHex('Claim(address owner,uint256 amount)')))
})

test('a digest is that of viem, for any domain and amount', () => {
  fc.assert(
    fc.property(arbitrary.domain('Any'), fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (domain, amount) => {
      expect(digest(domain, amount)).toBe(byViem(domain, amount))
    }),
  )
})

test.each<Partial<TypedDataDomain>>([
  { name: 'Two' },
  { version: '2' },
  { chainId: 2 },
  { verifyingContract: '0x0000000000000000000000000000000000000002' },
])('a digest after one of another domain is not mistaken for it: %o', (other) => {
  digest(ONE, 7n)
  expect(digest({ ...ONE, ...other }, 7n)).toBe(byViem({ ...ONE, ...other }, 7n))
})

test('a domain that changes in place is distinct from its former self', () => {
  const domain = { ...ONE }
  digest(domain, 7n)
  domain.chainId = 5
  expect(digest(domain, 7n)).toBe(byViem(domain, 7n))
})
