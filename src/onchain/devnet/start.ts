import { resolve } from 'node:path'
import type { SeriesTerms } from '@rfqctl/protocol/domain/series'
import type { Deployment } from '../deploy/inspect.ts'
import { createDevAccounts } from './accounts.ts'
import { startAnvil } from './anvil.ts'
import { createDevClient, devnetChain } from './client.ts'
import { deployContracts, devDeployment } from './deploy-contracts.ts'
import { type OpenChain, openChain } from './open-chain.ts'
import { fundWallets } from './seed.ts'
import { createSeriesLister } from './series-lister.ts'
import { warpChain } from './warp.ts'

export type Devnet = Awaited<ReturnType<typeof startDevnet>>

/** In order: the chain answers, the contracts are deployed, series and wallets are ready. */
export type DevnetStep = 'chain' | 'contracts' | 'series'

/**
 * Starts the embedded chain on a port, 0 for a free one, and keeps the series registered that `seriesAt` gives for its
 * time. A data dir keeps the chain; without one it is lost at the end.
 * Throws a `DevnetInUseError`, or an `Error` that says why Anvil did not start.
 */
export async function startDevnet(input: {
  dataDir: string | null
  port: number
  seriesAt: (chainTime: number) => readonly SeriesTerms[]
  onStep?: (step: DevnetStep) => void
}) {
  const { dataDir, port, seriesAt, onStep = () => {} } = input
  const accounts = createDevAccounts()
  const deployment = devDeployment(accounts)
  const { anvil, origin, aside } = await open({ dataDir, port, deployment })
  const client = createDevClient(anvil.rpcUrl)
  const { coreAddress } = deployment
  const lister = createSeriesLister({ client, owner: accounts.deployer.address, coreAddress, seriesAt })
  try {
    onStep('chain')
    if (origin === 'fresh') await deployContracts(client, accounts)
    onStep('contracts')
    await Promise.all([lister.listDue(), fundWallets(client, accounts, deployment)])
    onStep('series')
  } catch (fault) {
    await anvil.stop()
    throw fault
  }
  const listing = lister.keepListing()
  return {
    origin,
    aside,
    pid: anvil.pid,
    rpcUrl: anvil.rpcUrl,
    chainId: devnetChain.id as number,
    startBlock: 0,
    deployment,
    accounts,
    /** Moves chain time forward by whole seconds; returns the new time, Unix seconds. */
    warp: (seconds: number): Promise<number> => warpChain(client, seconds),
    /** With a data dir, the next start continues the chain. */
    async stop() {
      await listing.stop()
      await anvil.stop()
    },
  }
}

async function open(input: { dataDir: string | null; port: number; deployment: Deployment }): Promise<OpenChain> {
  const { dataDir, port, deployment } = input
  if (dataDir !== null) return openChain({ dataDir: resolve(dataDir), port, deployment })
  return { anvil: await startAnvil({ port, statePath: null, outlives: false }), origin: 'fresh', aside: null }
}
