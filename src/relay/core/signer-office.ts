import { attestationDigest, attestationDomain, PROBE_ATTESTATION } from '@rfqctl/protocol/domain/attestation'
import type { Address } from '@rfqctl/protocol/domain/units'
import type { Chain, Freshness, ResolutionSigner } from './ports/chain.ts'

/** Whose attestations the core takes, and whether a relay's signatures are among them. */
export type SignerOffice = { inOffice: Address; isOurs: boolean }

/**
 * Who is in office, asked with a probe: a key is by itself, or by a contract that takes its signature for its own. A
 * contract that wants several signatures takes none of them alone. Null without a chain. Fails with `chain_unavailable`, and
 * with `signer_unavailable` where the key does not sign.
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
