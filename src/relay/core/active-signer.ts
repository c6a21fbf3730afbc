import { attestationDigest, attestationDomain, PROBE_ATTESTATION } from '@rfqctl/protocol/domain/attestation'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Address } from '@rfqctl/protocol/domain/units'
import type { Chain, Freshness, ResolutionSigner } from './ports/chain.ts'

/** `isOurs`: the core accepts this relay's signatures. */
export type ActiveSigner = { address: Address; isOurs: boolean }

/**
 * Asks with a probe signature: the key may be the active signer itself, or through a contract that accepts its
 * signature. A contract that needs several signatures accepts none of them alone, but those of its quorum together. Null
 * without a chain. Fails with `chain_unavailable`, and with `signer_unavailable` if the key does not sign, or too few do.
 */
export async function readActiveSigner(
  chain: Pick<Chain, 'environment' | 'resolutionSigner' | 'takesSignature'>,
  signer: ResolutionSigner,
  freshness: Freshness,
): Promise<ActiveSigner | null> {
  const { chainId, coreAddress } = chain.environment
  const domain = attestationDomain(chainId, coreAddress)
  const [address, signature] = await Promise.all([
    chain.resolutionSigner(freshness),
    signer.probe(domain).catch(nullIfOfOthers),
  ])
  if (address === null) return null
  if (signature === null) return { address, isOurs: false }
  if (isKeyOf(signer, address)) return { address, isOurs: true }
  const digest = attestationDigest(PROBE_ATTESTATION, domain)
  return { address, isOurs: await chain.takesSignature({ contract: address, digest, signature }) }
}

/** Whether an account is the key itself, so that no contract has to be asked. */
export const isKeyOf = ({ address, isQuorum = false }: ResolutionSigner, account: Address): boolean =>
  !isQuorum && address === account

/** Ends a sentence about this relay. */
export const signsAs = ({ address, isQuorum = false }: ResolutionSigner): string =>
  isQuorum ? 'this relay has the signers of another contract' : `this relay signs as ${address}`

/** Keys of a quorum know already that the active contract is not theirs. */
function nullIfOfOthers(fault: unknown): null {
  if (fault instanceof RfqError && fault.code === 'signer_not_in_office') return null
  throw fault
}
