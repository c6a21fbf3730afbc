import { serviceCoreAbi } from '../../contracts/abi.ts'
import type { SeriesId } from '../../domain/series.ts'
import type { Address, ResolutionBps } from '../../domain/units.ts'
import { createDevClient, type DevClient } from '../../sandbox/chain/client.ts'
import { readChainTime } from '../../sandbox/chain/warp.ts'
import type { Cli } from '../cli.ts'
import { type ChainOptions, tradingChain } from './targets.ts'

/** What the chain says now, where the relay's index may be minutes old. */
export type ChainView = {
  /** Unix milliseconds of chain time: a chain that was warped is ahead of every clock (decision U7). */
  now: number
  /** The resolution of a series; null while it is not settled. */
  resolutionOf: (seriesId: SeriesId) => Promise<ResolutionBps | null>
}

/** The chain's view; null where no chain is known or none answers, so that listings work without one. */
export async function readChainView(cli: Cli, options: ChainOptions): Promise<ChainView | null> {
  try {
    const { rpcUrl, coreAddress } = tradingChain(cli, options)
    const client = createDevClient(rpcUrl)
    const now = (await readChainTime(client)) * 1_000
    return { now, resolutionOf: (seriesId) => readResolution(client, coreAddress, seriesId) }
  } catch {
    return null
  }
}

async function readResolution(
  client: DevClient,
  coreAddress: Address,
  seriesId: SeriesId,
): Promise<ResolutionBps | null> {
  const { settled, resolutionBps } = await client.readContract({
    address: coreAddress,
    abi: serviceCoreAbi,
    functionName: 'getSeries',
    args: [BigInt(seriesId)],
  })
  return settled ? (resolutionBps as ResolutionBps) : null
}
