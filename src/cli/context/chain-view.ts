import { createDevClient, type DevClient } from '@rfqctl/onchain/devnet/client'
import { readChainTime } from '@rfqctl/onchain/devnet/warp'
import { serviceCoreAbi } from '@rfqctl/protocol/contracts/abi'
import type { SeriesId } from '@rfqctl/protocol/domain/series'
import type { Address, ResolutionBps } from '@rfqctl/protocol/domain/units'
import type { Cli } from '../cli.ts'
import { type ChainOptions, tradingChain } from './targets.ts'

/** The state of the chain now; the relay's index may be minutes old. */
export type ChainView = {
  /** Chain time in Unix milliseconds: a warped chain is ahead of every clock (decision U7). */
  now: number
  /** The price of a series and when it is final; null until it is settled. */
  priceOf: (seriesId: SeriesId) => Promise<SeriesPrice | null>
}

/** `resolutionBps` is in hundredths of $1, `finalAt` in Unix seconds. */
export type SeriesPrice = { resolutionBps: ResolutionBps; finalAt: number }

/** Null where no chain is configured or none answers, so that listings work without one. */
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
