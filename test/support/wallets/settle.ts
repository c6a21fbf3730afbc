import { privateKeyToAccount } from 'viem/accounts'
import { readChainTime, warpChain } from '../../../src/onchain/devnet/warp.ts'
import { serviceCoreAbi } from '../../../src/protocol/contracts/abi.ts'
import {
  ATTESTATION_VALIDITY_S,
  attestationDomain,
  attestationTypedData,
} from '../../../src/protocol/domain/attestation.ts'
import type { ResolutionBps } from '../../../src/protocol/domain/units.ts'
import { call, sendFrom } from './wallet.ts'
import type { Market, WalletWorld } from './world.ts'

/** Moves the chain past the expiry of a market's series, and settles it at a price in cents. */
export async function settleAt({ dev, accounts }: WalletWorld, market: Market, price: number): Promise<void> {
  const { coreAddress } = market.deployment
  const signer = privateKeyToAccount(accounts.resolutionSigner.privateKey)
  const now = await readChainTime(dev)
  const resolvedAt = await warpChain(dev, Math.max(1, market.terms.expiry + 1 - now))
  const resolutionBps = price as ResolutionBps
  const validUntil = resolvedAt + ATTESTATION_VALIDITY_S - 1
  const attestation = { seriesId: market.seriesId, resolutionBps, validUntil }
  const domain = attestationDomain(market.domain.chainId, coreAddress)
  const signature = await signer.signTypedData(attestationTypedData(attestation, domain))
  const args = [BigInt(market.seriesId), resolutionBps, BigInt(validUntil), signature]
  await sendFrom(dev, signer, call(coreAddress, serviceCoreAbi, 'settleWithAttestation', args))
}
