import fc from 'fast-check'
import { bytesToHex, recoverAddress } from 'viem'
import { privateKeyToAccount, privateKeyToAddress } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { attestationDigest } from '../../../src/protocol/domain/attestation.ts'
import type { Hex } from '../../../src/protocol/domain/units.ts'
import { createResolutionSigner, createSignatures } from '../../../src/relay/adapters/signing.ts'
import { DOMAIN, describeResolutionSigner, REQUEST } from '../../ports/resolution-signer.suite.ts'

const KEY: Hex = `0x${'01'.repeat(32)}`

const signer = createResolutionSigner(KEY)
describeResolutionSigner('in the relay', async () => ({ signer, address: signer.address, close: async () => {} }))

it('an attestation has the digest of its typed data', async () => {
  const digest = attestationDigest(REQUEST.attestation, DOMAIN)
  expect(await createSignatures().recover(digest, await signer.sign(REQUEST))).toBe(signer.address)
})

describe('recovery of a signature', () => {
  const digest: Hex = `0x${'5a'.repeat(32)}`

  it('gives the checksummed address of the signer', async () => {
    const account = privateKeyToAccount(KEY)
    expect(await createSignatures().recover(digest, await account.sign({ hash: digest }))).toBe(account.address)
  })

  it('agrees with another library about any key, digest and parity', async () => {
    const { recover } = createSignatures()
    const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes): Hex => bytesToHex(bytes))
    const key = bytes32.filter((text) => BigInt(text) > 0n && BigInt(text) < 2n ** 255n)
    await fc.assert(
      fc.asyncProperty(key, bytes32, async (privateKey, hash) => {
        const signature = await privateKeyToAccount(privateKey).sign({ hash })
        const twin: Hex = `${signature.slice(0, -2) as Hex}${signature.endsWith('1b') ? '1c' : '1b'}`
        expect(await recover(hash, signature)).toBe(privateKeyToAddress(privateKey))
        expect(await recover(hash, twin)).toBe(await recoverAddress({ hash, signature: twin }))
      }),
    )
  })

  it.each([
    ['zeros', `0x${'00'.repeat(64)}1b`],
    ['an r beyond the curve', `0x${'ff'.repeat(32)}${'11'.repeat(32)}1b`],
    ['too few bytes', '0x1234'],
  ] as [string, Hex][])('gives null for %s', async (_, signature) => {
    expect(await createSignatures().recover(digest, signature)).toBeNull()
  })
})
