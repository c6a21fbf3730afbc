import { createDevClient, type DevClient } from '@rfqctl/onchain/devnet/client'
import { readChainTime } from '@rfqctl/onchain/devnet/warp'
import { serviceCoreAbi } from '@rfqctl/protocol/contracts/abi'
import type { SeriesId } from '@rfqctl/protocol/domain/series'
import type { Address, ResolutionBps } from '@rfqctl/protocol/domain/units'
import type { Cli } from '../cli.ts'
import { type ChainOptions, tradingChain } from './targets.ts'

/** What the chain says now, where the relay's index may be minutes old. */
export type ChainView = {
  /** Unix milliseconds of chain time: a chain that was warped is ahead of every clock (decision U7). */
  now: number
  /** The price of a series, and from when on it is final; null while it is not settled. */
  priceOf: (seriesId: SeriesId) => Promise<SeriesPrice | null>
}

/** A price in hundredths of a dollar, and Unix seconds. */
export type SeriesPrice = { resolutionBps: ResolutionBps; finalAt: number }

/** The chain's view; null where no chain is known or none answers, so that listings work without one. */
export async function readChainView(cli: Cli, options: ChainOptions): Promise<ChainView | null> {
  try {
    const { rpcUrl, coreAddress } = tradingChain(cli, options)
    const client = createDevClient(rpcUrl)
    const now = (await readChainTime(client)) * 1_000
    return { now, priceOf: (seriesId) => readPrice(client, coreAddress, seriesId) }
  } catch {
    return null
  }
}

async function readPrice(client: DevClient, coreAddress: Address, seriesId: SeriesId): Promise<SeriesPrice | null> {
  const { settled, resolutionBps, finalAt } = await client.readContract({
    address: coreAddress,
    abi: serviceCoreAbi,
    functionName: 'getSeries',
    args: [BigInt(seriesId)],
  })
  return settled ? { resolutionBps: resolutionBps as ResolutionBps, finalAt: Number(finalAt) } : null
}
