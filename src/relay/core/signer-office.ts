import { attestationDigest, attestationDomain, PROBE_ATTESTATION } from '@rfqctl/protocol/domain/attestation'
import type { Address } from '@rfqctl/protocol/domain/units'
import type { Chain, Freshness, ResolutionSigner } from './ports/chain.ts'

/** `isOurs`: the core accepts this relay's signatures. */
export type SignerOffice = { inOffice: Address; isOurs: boolean }

/**
 * Asks with a probe signature: the key may be the current signer itself, or through a contract that accepts its
 * signature. A contract that needs several signatures accepts none of them alone. Null without a chain. Fails with
 * `chain_unavailable`, and with `signer_unavailable` if the key does not sign.
 */
export async function readSignerOffice(
  chain: Pick<Chain, 'environment' | 'resolutionSigner' | 'takesSignature'>,
  signer: ResolutionSigner,
  freshness: Freshness,
): Promise<SignerOffice | null> {
  const { chainId, coreAddress } = chain.environment
  const domain = attestationDomain(chainId, coreAddress)
  const [inOffice, signature] = await Promise.all([chain.resolutionSigner(freshness), signer.probe(domain)])
  if (inOffice === null) return null
  if (inOffice === signer.address) return { inOffice, isOurs: true }
  const digest = attestationDigest(PROBE_ATTESTATION, domain)
  return { inOffice, isOurs: await chain.takesSignature({ contract: inOffice, digest, signature }) }
}
