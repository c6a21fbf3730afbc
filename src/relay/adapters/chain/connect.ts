import type { Authority, Chain, ChainEnvironment, OrderEvents, SeriesIndex } from '../../core/ports/chain.ts'
import type { Clock } from '../../core/ports/runtime.ts'
import { assertEnvironment, createCheckedRpc } from './assert-environment.ts'
import { createAuthority } from './authority-events.ts'
import { createCheckpointFile } from './checkpoint-file.ts'
import { createSeriesIndexer } from './indexer.ts'
import { createOrderEvents } from './order-events.ts'
import { createRpc, httpTransport, type Rpc } from './rpc.ts'
import { createViemChain, readTradingCutoff } from './viem.ts'

/**
 * The chain and its series behind an RPC URL. Throws a `ChainMismatchError` when the deployment is not the configured one,
 * `chain_unavailable` when the node cannot be read; neither URL nor provider key is in either.
 */
export async function connectChain(parts: {
  rpcUrl: string
  environment: ChainEnvironment
  startBlock: number
  cacheMs: number
  clock: Pick<Clock, 'now'>
  /** The index resumes from this file after a restart; null: it reads from the start again. */
  indexPath?: string | null
}): Promise<{ chain: Chain; seriesIndex: SeriesIndex; orderEvents: OrderEvents; authority: Authority; rpc: Rpc }> {
  const { rpcUrl, environment, startBlock, cacheMs, clock, indexPath = null } = parts
  const node = createRpc(httpTransport(rpcUrl))
  await assertEnvironment(node, environment)
  const rpc = createCheckedRpc(node, (once) => assertEnvironment(once, environment))
  const { chainId, coreAddress, settlementAddress } = environment
  const keeper = indexPath === null ? null : createCheckpointFile(indexPath, { chainId, coreAddress, startBlock })
  const seriesIndex = createSeriesIndexer({
    rpc,
    coreAddress,
    startBlock: BigInt(startBlock),
    now: clock.now,
    ...(keeper === null ? {} : { keeper }),
  })
  const tradingCutoffS = await readTradingCutoff(rpc, coreAddress)
  const chain = createViemChain({ rpc, environment, tradingCutoffS, cacheMs, now: clock.now })
  const orderEvents = createOrderEvents({
    rpc,
    settlementAddress,
    startBlock: BigInt(startBlock),
    cacheMs,
    now: clock.now,
  })
  const authority = createAuthority({ rpc, coreAddress, startBlock: BigInt(startBlock) })
  return { chain, seriesIndex, orderEvents, authority, rpc }
}
