import { getAbiItem, toFunctionSelector } from 'viem'
import { serviceCoreAbi } from '../../contracts/abi.ts'
import type { Position } from '../../domain/position.ts'
import type { SeriesId } from '../../domain/series.ts'
import { type Address, contracts } from '../../domain/units.ts'
import type { Rpc } from './rpc.ts'
import { encodeView } from './views.ts'

const BALANCE_OF = toFunctionSelector(getAbiItem({ abi: serviceCoreAbi, name: 'balanceOf' }))
const SHORT_OF = toFunctionSelector(getAbiItem({ abi: serviceCoreAbi, name: 'shortOf' }))

/** Series that are read at a time, one part after the other: what a wallet's question takes is bounded, however many there are. */
const PART_SIZE = 512

/** What a wallet holds and has written in some series; those of which it has nothing are left out. */
export async function readPositions(
  rpc: Rpc,
  { coreAddress, wallet, seriesIds }: { coreAddress: Address; wallet: Address; seriesIds: readonly SeriesId[] },
): Promise<Position[]> {
  const positions: Position[] = []
  for (let at = 0; at < seriesIds.length; at += PART_SIZE) {
    const part = seriesIds.slice(at, at + PART_SIZE)
    const words = await rpc.read(({ view }) =>
      Promise.all(
        part.flatMap((seriesId) => {
          const id = BigInt(seriesId)
          return [
            view(coreAddress, encodeView(BALANCE_OF, wallet, id)),
            view(coreAddress, encodeView(SHORT_OF, id, wallet)),
          ]
        }),
      ),
    )
    for (const [index, seriesId] of part.entries()) {
      const [long, short] = [words[2 * index]?.[0] ?? 0n, words[2 * index + 1]?.[0] ?? 0n]
      if (long > 0n || short > 0n) positions.push({ seriesId, long: contracts(long), short: contracts(short) })
    }
  }
  return positions
}
