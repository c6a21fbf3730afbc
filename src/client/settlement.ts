import { parseEventLogs, type TransactionReceipt } from 'viem'
import { serviceCoreAbi } from '../contracts/abi.ts'
import type { PreparedSettlement } from '../domain/attestation.ts'
import type { Position } from '../domain/position.ts'
import type { SeriesId } from '../domain/series.ts'
import { type Contracts, contracts, type Usd6, usd6 } from '../domain/units.ts'
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

/** What came of a claim on the chain. */
export type Claim = {
  /** The receipt of its transaction. */
  receipt: TransactionReceipt
  /** The options that it ended. */
  amount: Contracts
  /** What was paid, micro-dollars. */
  paid: Usd6
}

/** Bytes of call data in one call to the node: about a hundred reads, which bring the contract that bundles them along. */
const BATCH_BYTES = 8_192

/** The positions of a wallet in some series, those without any left out; as of a block, or now. */
export async function readPositions(
  wallet: Wallet,
  seriesIds: readonly SeriesId[],
  blockNumber?: bigint,
): Promise<Position[]> {
  const core = { address: wallet.setup.coreAddress, abi: serviceCoreAbi } as const
  const amounts = await wallet.publicClient.multicall({
    contracts: seriesIds.flatMap(
      (seriesId) =>
        [
          { ...core, functionName: 'balanceOf', args: [wallet.address, BigInt(seriesId)] },
          { ...core, functionName: 'shortOf', args: [BigInt(seriesId), wallet.address] },
        ] as const,
    ),
    allowFailure: false,
    deployless: true,
    batchSize: BATCH_BYTES,
    ...(blockNumber === undefined ? {} : { blockNumber }),
  })
  return seriesIds
    .map((seriesId, i) => ({
      seriesId,
      long: contracts(amounts[2 * i] ?? 0n),
      short: contracts(amounts[2 * i + 1] ?? 0n),
    }))
    .filter(({ long, short }) => long > 0n || short > 0n)
}

/** Claims the payout of a holder's options, all of them unless told otherwise; null when there are none. */
export async function claimHolderPayout(
  wallet: Wallet,
  { seriesId, amount, signal }: { seriesId: SeriesId; amount?: Contracts; signal?: AbortSignal | undefined },
): Promise<Claim | null> {
  const [position] = await readPositions(wallet, [seriesId])
  const claimed = amount ?? position?.long ?? 0n
  if (claimed === 0n) return null
  const receipt = await wallet.write(
    {
      address: wallet.setup.coreAddress,
      abi: serviceCoreAbi,
      functionName: 'claimHolderPayout',
      args: [BigInt(seriesId), claimed],
    },
    signal,
  )
  const [log] = parseEventLogs({ abi: serviceCoreAbi, eventName: 'HolderPayoutClaimed', logs: receipt.logs })
  return { receipt, amount: contracts(claimed), paid: usd6(log?.args.payout ?? 0n) }
}

/** Claims back what a writer's collateral has left after its options paid; null when it has written none. */
export async function claimWriterCollateral(
  wallet: Wallet,
  { seriesId, signal }: { seriesId: SeriesId; signal?: AbortSignal | undefined },
): Promise<Claim | null> {
  const [position] = await readPositions(wallet, [seriesId])
  if (position === undefined || position.short === 0n) return null
  const receipt = await wallet.write(
    {
      address: wallet.setup.coreAddress,
      abi: serviceCoreAbi,
      functionName: 'claimWriterCollateral',
      args: [BigInt(seriesId)],
    },
    signal,
  )
  const [log] = parseEventLogs({ abi: serviceCoreAbi, eventName: 'WriterCollateralClaimed', logs: receipt.logs })
  return { receipt, amount: contracts(log?.args.amount ?? 0n), paid: usd6(log?.args.collateral ?? 0n) }
}
