import { verifyTypedData, Wallet } from 'ethers'
import fc from 'fast-check'
import { privateKeyToAccount } from 'viem/accounts'
import { keccak256, recoverAddress, toHex } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import {
  ATTESTATION_TYPES,
  ATTESTATION_VALIDITY_S,
  attestationDigest,
  attestationDomain,
  attestationTypedData,
  type SettlementAttestation,
} from '../../../src/protocol/domain/attestation.ts'
import type { Hex, ResolutionBps } from '../../../src/protocol/domain/units.ts'
import * as arbitrary from '../../support/arbitraries.ts'
import {
  ATTESTATION_STRUCT,
  ethersAttestationDigest,
  ethersAttestationTypes,
  ethersTypeHash,
} from '../../support/oracles/ethers-signing.ts'

const KEY = `0x${'02'.repeat(32)}` as const
const domain = attestationDomain(80_002, '0x0000000000000000000000000000000000000002')
const attestation: SettlementAttestation = {
  seriesId: '1',
  resolutionBps: 59 as ResolutionBps,
  validUntil: 1_800_000_900,
}

describe('the typed data of an attestation', () => {
  test('has the golden type hash', () => {
    const encodedType = `SettlementAttestation(${ATTESTATION_TYPES.SettlementAttestation.map(({ type, name }) => `${type} ${name}`).join(',')})`
    expect(keccak256(toHex(encodedType))).toBe('0x0e9085255ba2b847122246107e48b66adf38263746e1a8b8b18da95e7d1f824f')
    expect(ethersTypeHash(ATTESTATION_STRUCT)).toBe(keccak256(toHex(encodedType)))
    expect(ATTESTATION_TYPES).toEqual(ethersAttestationTypes)
  })

  test('has the digest that a second implementation works out', () => {
    fc.assert(
      fc.property(arbitrary.attestation, arbitrary.domain('ServiceCore'), (anyAttestation, anyDomain) => {
        const ofDomain = attestationDomain(anyDomain.chainId, anyDomain.verifyingContract)
        expect(ofDomain).toEqual(anyDomain)
        expect(attestationDigest(anyAttestation, ofDomain)).toBe(ethersAttestationDigest(anyAttestation, anyDomain))
      }),
    )
  })

  test.each<[string, Partial<SettlementAttestation>]>([
    ['series', { seriesId: '2' }],
    ['resolution', { resolutionBps: 60 as ResolutionBps }],
    ['end of validity', { validUntil: 1_800_000_901 }],
  ])('signs the %s', (_, change) => {
    expect(attestationDigest({ ...attestation, ...change }, domain)).not.toBe(attestationDigest(attestation, domain))
  })
})

test('an attestation signed by viem recovers to the resolution signer in ethers', async () => {
  const signer = privateKeyToAccount(KEY)
  const signature = await signer.signTypedData(attestationTypedData(attestation, domain))
  expect(verifyTypedData(domain, ethersAttestationTypes, attestation, signature)).toBe(signer.address)
})

test('an attestation signed by ethers recovers to the resolution signer from our digest', async () => {
  const signer = new Wallet(KEY)
  const signature = (await signer.signTypedData(domain, ethersAttestationTypes, attestation)) as Hex
  expect(await recoverAddress({ hash: attestationDigest(attestation, domain), signature })).toBe(signer.address)
})

test('an attestation can be relayed for 15 minutes', () => {
  expect(ATTESTATION_VALIDITY_S).toBe(15 * 60)
})
