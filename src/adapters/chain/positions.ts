import type { PublicClient } from 'viem'
import { serviceCoreAbi } from '../../domain/contract-abi.ts'
import type { Position } from '../../domain/position.ts'
import type { SeriesId } from '../../domain/series.ts'
import { type Address, contracts } from '../../domain/units.ts'

/** What a wallet holds and has written in some series; those of which it has nothing are left out. */
export async function readPositions(
  client: PublicClient,
  { coreAddress, wallet, seriesIds }: { coreAddress: Address; wallet: Address; seriesIds: readonly SeriesId[] },
): Promise<Position[]> {
  const core = { address: coreAddress, abi: serviceCoreAbi } as const
  const read = async (seriesId: SeriesId): Promise<Position> => {
    const [long, short] = await Promise.all([
      client.readContract({ ...core, functionName: 'balanceOf', args: [wallet, BigInt(seriesId)] }),
      client.readContract({ ...core, functionName: 'shortOf', args: [BigInt(seriesId), wallet] }),
    ])
    return { seriesId, long: contracts(long), short: contracts(short) }
  }
  const positions = await Promise.all(seriesIds.map(read))
  return positions.filter(({ long, short }) => long > 0n || short > 0n)
}
