import { recoverTypedDataAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { attestationDomain, attestationTypedData, PROBE_ATTESTATION } from '../../src/protocol/domain/attestation.ts'
import { seriesIdOf } from '../../src/protocol/domain/series.ts'
import type { Address, ResolutionBps } from '../../src/protocol/domain/units.ts'
import type { ResolutionSigner } from '../../src/relay/core/ports/chain.ts'
import { CORE } from '../relay/adapters/chain/fake-node.ts'
import { termsAt } from '../relay/adapters/chain/terms.ts'

/** What the suite asks to be signed: an expired series of its own. */
export const TERMS = termsAt(4_500)
export const DOMAIN = attestationDomain(80_002, CORE)
export const REQUEST = {
  terms: TERMS,
  domain: DOMAIN,
  attestation: {
    seriesId: seriesIdOf(TERMS),
    resolutionBps: 59 as ResolutionBps,
    validUntil: TERMS.expiry + 900,
  },
}

/** What every resolution signer does; `open` gives one that signs as `address`. */
export function describeResolutionSigner(
  name: string,
  open: () => Promise<{ signer: ResolutionSigner; address: Address; close: () => Promise<void> }>,
): void {
  describe(`the resolution signer ${name}`, () => {
    it('signs an attestation, and one to nothing, that recover to its address', async () => {
      const { signer, address, close } = await open()
      expect(signer.address).toBe(address)
      const signature = await signer.sign(REQUEST)
      const typed = attestationTypedData(REQUEST.attestation, DOMAIN)
      expect(await recoverTypedDataAddress({ ...typed, signature })).toBe(address)
      const probe = attestationTypedData(PROBE_ATTESTATION, DOMAIN)
      expect(await recoverTypedDataAddress({ ...probe, signature: await signer.probe(DOMAIN) })).toBe(address)
      await close()
    })

    it('signs the same again, however many ask', async () => {
      const { signer, close } = await open()
      const signatures = await Promise.all(Array.from({ length: 20 }, () => signer.sign(REQUEST)))
      expect(new Set(signatures).size).toBe(1)
      await close()
    })

    it('does not show its key', async () => {
      const { signer, close } = await open()
      expect(JSON.stringify(signer)).not.toContain('0101')
      await close()
    })
  })
}
