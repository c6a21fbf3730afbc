import { parseEventLogs, type TransactionReceipt } from 'viem'
import { serviceCoreAbi } from '../domain/contract-abi.ts'
import type { SeriesId } from '../domain/series.ts'
import { type Contracts, contracts, type Usd6, usd6 } from '../domain/units.ts'
import type { Wallet } from './wallet.ts'

/** What a wallet holds (`long`) and owes (`short`) of a series, in whole options. */
export type Position = { seriesId: SeriesId; long: Contracts; short: Contracts }

/** A claim on the chain: the options it ended and the micro-dollars it paid. */
export type Claim = { receipt: TransactionReceipt; amount: Contracts; paid: Usd6 }

/** The positions of a wallet in some series, those without any left out. */
export async function readPositions(wallet: Wallet, seriesIds: readonly SeriesId[]): Promise<Position[]> {
  if (seriesIds.length === 0) return []
  const ids = seriesIds.map(BigInt)
  const core = { address: wallet.setup.coreAddress, abi: serviceCoreAbi } as const
  const [longs, shorts] = await Promise.all([
    wallet.publicClient.readContract({
      ...core,
      functionName: 'balanceOfBatch',
      args: [ids.map(() => wallet.address), ids],
    }),
    Promise.all(
      ids.map((id) =>
        wallet.publicClient.readContract({ ...core, functionName: 'shortOf', args: [id, wallet.address] }),
      ),
    ),
  ])
  return seriesIds
    .map((seriesId, i) => ({
      seriesId,
      long: contracts(longs[i] ?? 0n),
      short: contracts(shorts[i] ?? 0n),
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
