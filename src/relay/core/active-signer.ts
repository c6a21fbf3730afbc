import { attestationDigest, attestationDomain, PROBE_ATTESTATION } from '@rfqctl/protocol/domain/attestation'
import type { Address } from '@rfqctl/protocol/domain/units'
import type { Chain, Freshness, ResolutionSigner } from './ports/chain.ts'

/** `isOurs`: the core accepts this relay's signatures. */
export type ActiveSigner = { address: Address; isOurs: boolean }

/**
 * Asks with a probe signature: the key may be the active signer itself, or through a contract that accepts its
 * signature. A contract that needs several signatures accepts none of them alone. Null without a chain. Fails with
 * `chain_unavailable`, and with `signer_unavailable` if the key does not sign.
 */
export async function readActiveSigner(
  chain: Pick<Chain, 'environment' | 'resolutionSigner' | 'takesSignature'>,
  signer: ResolutionSigner,
  freshness: Freshness,
): Promise<ActiveSigner | null> {
  const { chainId, coreAddress } = chain.environment
  const domain = attestationDomain(chainId, coreAddress)
  const [address, signature] = await Promise.all([chain.resolutionSigner(freshness), signer.probe(domain)])
  if (address === null) return null
  if (address === signer.address) return { address, isOurs: true }
  const digest = attestationDigest(PROBE_ATTESTATION, domain)
  return { address, isOurs: await chain.takesSignature({ contract: address, digest, signature }) }
}
