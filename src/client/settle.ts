import type { TransactionReceipt } from 'viem'
import { serviceCoreAbi } from '../contracts/abi.ts'
import type { PreparedSettlement } from '../domain/attestation.ts'
import type { Wallet } from './wallet.ts'

/** Relays a signed resolution to the core, which checks it; anyone may, once per series. */
export function settleWithAttestation(
  wallet: Wallet,
  {
    prepared,
    signal,
  }: { prepared: Pick<PreparedSettlement, 'attestation' | 'signature'>; signal?: AbortSignal | undefined },
): Promise<TransactionReceipt> {
  const { attestation, signature } = prepared
  const { seriesId, resolutionBps, validUntil } = attestation
  return wallet.write(
    {
      address: wallet.setup.coreAddress,
      abi: serviceCoreAbi,
      functionName: 'settleWithAttestation',
      args: [BigInt(seriesId), resolutionBps, BigInt(validUntil), signature],
    },
    signal,
  )
}
