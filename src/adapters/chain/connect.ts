import type { Chain, ChainEnvironment, Clock, SeriesIndex } from '../../relay/ports.ts'
import { assertEnvironment } from './assert-environment.ts'
import { createSeriesIndexer } from './indexer.ts'
import { createRpc, httpTransport, type Rpc } from './rpc.ts'
import { createViemChain } from './viem.ts'

/**
 * The chain and its series behind an RPC URL. Throws a `ChainMismatchError` when the deployment is not the configured one,
 * `chain_unavailable` when the node cannot be read; neither URL nor provider key is in either.
 */
export async function connectChain({
  rpcUrl,
  environment,
  startBlock,
  cacheMs,
  clock,
}: {
  rpcUrl: string
  environment: ChainEnvironment
  startBlock: number
  cacheMs: number
  clock: Pick<Clock, 'now'>
}): Promise<{ chain: Chain; seriesIndex: SeriesIndex; rpc: Rpc }> {
  const rpc = createRpc(httpTransport(rpcUrl))
  await assertEnvironment(rpc, environment)
  const { coreAddress } = environment
  const seriesIndex = createSeriesIndexer({ rpc, coreAddress, startBlock: BigInt(startBlock) })
  const chain = createViemChain({ rpc, environment, seriesIndex, cacheMs, now: clock.now })
  return { chain, seriesIndex, rpc }
}
