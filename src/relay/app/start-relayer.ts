import type { RelayerTerms } from '@rfqctl/protocol/domain/gasless-fill'
import { connectChain } from '../adapters/chain/connect.ts'
import { createFillChain } from '../adapters/relayer/fill-chain.ts'
import { createRelayerMetrics } from '../adapters/relayer/metrics.ts'
import type { ChainEnvironment } from '../core/ports/chain.ts'
import type { Clock, Log } from '../core/ports/runtime.ts'
import type { RelayerSettings } from '../relayer/ports.ts'
import { createRelayer } from '../relayer/relayer.ts'
import { createRelayerServer, type RelayerServerSettings } from '../server/relayer-server.ts'
import { assertPortFree } from './assert-port-free.ts'
import { inspectDeployment } from './inspect-deployment.ts'

export type RelayerPlan = {
  account: Parameters<typeof createFillChain>[0]['account']
  rpcUrl: string
  environment: ChainEnvironment
  settings: RelayerSettings
  server: RelayerServerSettings
  host: string
  port: number
  clock: Clock
  log: Log
}

export type RunningRelayer = { url: string; terms: RelayerTerms; close: () => Promise<void> }

/**
 * Rejects with a `ChainMismatchError` when the deployment is not the configured one, with `chain_unavailable` when the
 * node cannot be read, and with exit code 10 when its port is in use. Logs a warning when it cannot take fills.
 */
export async function startRelayer(plan: RelayerPlan): Promise<RunningRelayer> {
  const { account, rpcUrl, environment, settings, host, port, clock, log } = plan
  await assertPortFree({ host, port })
  const { chain, rpc } = await connectChain({ rpcUrl, environment, startBlock: 0, cacheMs: 0, clock })
  await inspectDeployment({ rpc, chain, resolutionSigner: null, isProduction: false, log })
  const { meter, expose } = createRelayerMetrics(plan.server.software)
  const fills = createFillChain({ rpcUrl, environment, account, settings, clock })
  const relayer = createRelayer({ settings, chain: fills, clock, log, meter })
  const metrics = async () => expose(await relayer.figures())
  const server = createRelayerServer({ relayer, meter, metrics, clock, log, settings: plan.server })
  const terms = await relayer.terms()
  const { url } = await server.listen({ host, port })
  const { chainId, settlementAddress } = settings
  log.info('started', { chainId, settlementAddress, url })
  if (terms.reason !== null) log.warn('relayer_idle', { reason: terms.reason })
  return { url, terms, close: server.close }
}
