import type { PublicClient } from 'viem'
import { serviceCoreAbi } from '../../domain/contract-abi.ts'
import type { Position } from '../../domain/position.ts'
import type { SeriesId } from '../../domain/series.ts'
import { type Address, contracts } from '../../domain/units.ts'

/**
 * Bytes of call data in one call to the node: about a hundred reads. The multicall contract is not on every chain, so each
 * call brings it along, and code that creates a contract may not be longer than 49,152 bytes, arguments included.
 * @see EIP-3860
 */
const BATCH_BYTES = 8_192

/** What a wallet holds and has written in some series; those of which it has nothing are left out. */
export async function readPositions(
  client: PublicClient,
  { coreAddress, wallet, seriesIds }: { coreAddress: Address; wallet: Address; seriesIds: readonly SeriesId[] },
): Promise<Position[]> {
  const core = { address: coreAddress, abi: serviceCoreAbi } as const
  const reads = seriesIds.flatMap(
    (seriesId) =>
      [
        { ...core, functionName: 'balanceOf', args: [wallet, BigInt(seriesId)] },
        { ...core, functionName: 'shortOf', args: [BigInt(seriesId), wallet] },
      ] as const,
  )
  const amounts = await client.multicall({
    contracts: reads,
    allowFailure: false,
    deployless: true,
    batchSize: BATCH_BYTES,
  })
  return seriesIds
    .map((seriesId, i) => ({
      seriesId,
      long: contracts(amounts[2 * i] ?? 0n),
      short: contracts(amounts[2 * i + 1] ?? 0n),
    }))
    .filter(({ long, short }) => long > 0n || short > 0n)
}
