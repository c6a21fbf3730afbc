import { commitDigest, type ProvenCommit } from '@rfqctl/protocol/domain/commit-proof'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import { orderDomain } from '@rfqctl/protocol/domain/order'
import { normaliseSignature } from '@rfqctl/protocol/domain/signature'
import type { Hex } from '@rfqctl/protocol/domain/units'
import type { Context } from './context.ts'
import type { Claim } from './signature-checks.ts'

/**
 * False without a proof (decision C16). A wrong proof is refused, never ignored, so that no taker trades as unproven by
 * mistake. Refuses with `proof_required`, `invalid_signature` and `chain_unavailable`.
 */
export async function checkProof(
  context: Pick<Context, 'chain' | 'checks' | 'settings' | 'signatures'>,
  commit: ProvenCommit,
  { proof, clientAddress }: { proof: string | null; clientAddress: string | null },
): Promise<boolean> {
  if (proof === null) {
    if (context.settings.commitProof === 'required') throw new RfqError('proof_required')
    return false
  }
  const shown = await context.checks.find(commitClaim(context, commit, { proof, clientAddress }), clientAddress)
  if (shown instanceof RfqError) throw shown
  return true
}

/** Checks the wallet's code (ERC-1271), or a key that the wallet has authorised. */
function commitClaim(
  { chain, signatures }: Pick<Context, 'chain' | 'signatures'>,
  commit: ProvenCommit,
  { proof: text, clientAddress }: { proof: string; clientAddress: string | null },
): Claim {
  const { chainId, settlementAddress } = chain.environment
  const { wallet, requestId } = commit
  const digest = commitDigest(commit, orderDomain(chainId, settlementAddress))

  async function isAuthorized(signature: Hex): Promise<boolean> {
    const normalised = normaliseSignature(signature)
    const key = normalised === null ? null : await signatures.recover(digest, normalised)
    if (key === null) return false
    const [until, now] = await Promise.all([chain.authorizedUntil(wallet, key), chain.time('cached')])
    return until >= BigInt(now)
  }

  return {
    wallet,
    digest,
    text,
    // Per request, not per terms: a changed limit gives no more attempts. Per client, so that others cannot use them
    // up.
    subject: { id: `${requestId} ${clientAddress}`, name: 'commits of this request' },
    refusal: { detail: `The proof is not a signature of this commit by the wallet ${wallet}.` },
    isCounted: async (signature) => {
      const claim = { contract: wallet, digest, signature }
      const [isTaken, isOfKey] = await Promise.all([chain.takesSignature(claim), isAuthorized(signature)])
      return isTaken || isOfKey
    },
  }
}
