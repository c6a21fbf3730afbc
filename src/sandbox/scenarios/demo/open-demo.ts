import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { transportOf } from '@rfqctl/client/from-text'
import { startApp } from '@rfqctl/relay/app/start-app'
import { loadSettings } from '@rfqctl/relay/config/settings'
import type { Reporter } from '../scenario.ts'

export type DemoContext = Awaited<ReturnType<typeof openDemo>>

/** This machine's chain mines a transaction within milliseconds. */
const POLLING_INTERVAL_MS = 20

/**
 * Starts an embedded relay, as `serve` would without settings, on free ports and in a temporary data directory. The
 * environment's settings are ignored, so that the demo is the same everywhere.
 */
export async function openDemo(input: { cwd: string; stop: AbortSignal; reporter: Reporter; signal: AbortSignal }) {
  const { cwd, stop, reporter, signal } = input
  const dataDir = mkdtempSync(join(tmpdir(), 'rfqctl-demo-'))
  const removeDataDir = () => rmSync(dataDir, { recursive: true, force: true })
  const { settings } = loadSettings({
    flags: { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'error' },
    modes: { memory: false, noChain: false, chainPort: null },
    environment: {},
    cwd,
  })
  if (settings === null) throw new Error('The default settings are invalid.')
  const app = await startApp({ settings, stop, keepsChain: false }).catch((fault: unknown) => {
    removeDataDir()
    throw fault
  })
  const { backend, sandbox, prices, url, wsUrl } = app
  const { devnet } = backend
  if (devnet === null) throw new Error('The demo needs an embedded chain.')
  const { rpcUrl, chainId, deployment } = devnet
  const { settlementAddress, coreAddress } = deployment
  return {
    url,
    wsUrl,
    rpcUrl,
    chain: {
      chainId,
      settlementAddress,
      coreAddress,
      transport: transportOf(rpcUrl),
      pollingIntervalMs: POLLING_INTERVAL_MS,
    },
    makers: sandbox.makers,
    takers: sandbox.takers,
    reporter,
    signal,
    /** A token's YES price in dollars, at a time in Unix milliseconds. */
    spot: async (yesTokenId: string, nowMs: number): Promise<number> => spotOf(prices.spot(yesTokenId, nowMs)),
    warp: devnet.warp,
    chainTime: async () => backend.chain.time('latest'),
    close: async () => {
      await app.close()
      removeDataDir()
    },
  }
}

function spotOf(price: number | null): number {
  if (price === null) throw new Error('The fixtures have no price of this token.')
  return price
}
