import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApp } from '../../app/start-app.ts'
import { loadSettings } from '../../config/settings.ts'
import type { Cli } from '../cli.ts'
import type { Stage } from './stage.ts'

/**
 * Starts an embedded relay, as `serve` would with no settings, on free ports and in a data directory that is gone
 * afterwards. Settings of the environment are not asked: the demo is the same everywhere.
 */
export async function openStage(cli: Cli): Promise<Stage> {
  const dataDir = mkdtempSync(join(tmpdir(), 'rfqctl-demo-'))
  const removeDataDir = () => rmSync(dataDir, { recursive: true, force: true })
  const { settings } = loadSettings({
    flags: { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'error' },
    modes: { memory: false, noChain: false, chainPort: null },
    environment: {},
    cwd: cli.cwd,
  })
  if (settings === null) throw new Error('The default settings are invalid.')
  const app = await startApp({ settings, stop: cli.stop, keepsChain: false }).catch((fault: unknown) => {
    removeDataDir()
    throw fault
  })
  const { backend, sandbox, prices, url, wsUrl } = app
  const { devnet } = backend
  if (devnet === null) throw new Error('The demo needs an embedded chain.')
  const { rpcUrl, chainId, deployment } = devnet
  return {
    ...deployment,
    url,
    wsUrl,
    rpcUrl,
    chainId,
    makers: sandbox.makers,
    takers: sandbox.takers,
    spot: async (yesTokenId, nowMs) => spotOf(prices.spot(yesTokenId, nowMs)),
    warp: devnet.warp,
    chainTime: async () => backend.chain.time('latest'),
    stop: async () => {
      await app.close()
      removeDataDir()
    },
  }
}

function spotOf(price: number | null): number {
  if (price === null) throw new Error('The fixtures have no price of this token.')
  return price
}
