import { http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { runMakerBot } from '../../../src/agents/bots/maker-bot.ts'
import { MAKER_STYLES, type MakerStyle } from '../../../src/agents/bots/style.ts'
import { type ChainSetup, createTakerClient, type TakerClient } from '../../../src/client/index.ts'
import { createDevClient, type DevClient } from '../../../src/onchain/devnet/client.ts'
import type { SandboxWallet } from '../../../src/relay/app/sandbox-file.ts'
import { type RunningApp, startApp } from '../../../src/relay/app/start-app.ts'
import { loadSettings } from '../../../src/relay/config/settings.ts'
import { newFolder, removeFolder } from '../../kit/folder.ts'
import { createPageWallet, type PageWallet } from './wallet.ts'

/** A relay on a chain of its own that serves its pages, and simulated makers. */
export type BrowserWorld = {
  url: string
  app: RunningApp
  sandbox: RunningApp['sandbox']
  dev: DevClient
  chain: ChainSetup
  /** A taker of the sandbox, by the client library: what a page says is compared with what it reads. */
  takerOf: (wallet: SandboxWallet) => TakerClient
  /** A wallet of the sandbox as pages are given one. */
  walletOf: (wallet: SandboxWallet) => PageWallet
  /** Runs a maker until the world closes, or its return value is called. */
  runMaker: (index: number, style?: Partial<MakerStyle>) => () => Promise<void>
  close: () => Promise<void>
}

/** Makers that answer at once, without whims: a test waits for no one's thoughts. */
const QUICK: MakerStyle = {
  ...MAKER_STYLES.tight,
  latencyMs: { min: 5, max: 25 },
  improvements: 1,
  refreshMs: null,
  opinion: 0,
  size: 25_000,
  positionLimit: 10_000_000,
}

/** Starts a world; `environment` is that of the relay. */
export async function startWorld(
  environment: Readonly<Record<string, string>> = {},
  modes: { noChain?: boolean } = {},
): Promise<BrowserWorld> {
  const dataDir = newFolder()
  const { settings } = loadSettings({
    flags: { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent' },
    modes: { memory: true, noChain: false, chainPort: null, ...modes },
    environment: { SETTLE_LAG_MS: '0', SERIES_REFRESH_MS: '500', REQUEST_RATE_PER_ADDRESS: '0', ...environment },
    cwd: dataDir,
  })
  if (settings === null) throw new Error('the settings have a fault')
  const app = await startApp({ settings, stop: new AbortController().signal })
  const { sandbox, url } = app
  const rpcUrl = sandbox.rpcUrl ?? 'http://127.0.0.1:9'
  const { chainId, settlementAddress, coreAddress } = sandbox
  const chain: ChainSetup = {
    chainId,
    settlementAddress,
    coreAddress,
    // Without a chain there is nothing to ask.
    ...(sandbox.rpcUrl === null ? {} : { transport: http(rpcUrl) }),
    pollingIntervalMs: 20,
  }
  const dev = createDevClient(rpcUrl)
  const makers: (() => Promise<void>)[] = []

  function runMaker(index: number, style: Partial<MakerStyle> = {}): () => Promise<void> {
    const wallet = sandbox.makers[index]
    if (wallet === undefined) throw new Error(`the sandbox has no maker ${index}`)
    const stop = new AbortController()
    const running = runMakerBot({
      maker: { url, apiKey: wallet.apiKey ?? null, account: privateKeyToAccount(wallet.privateKey), chain },
      style: { ...QUICK, ...style },
      seed: index,
      spot: async (token, now) => app.prices.spot(token, now) ?? 0.5,
      signal: stop.signal,
    }).catch(() => {})
    const end = async () => {
      stop.abort()
      await running
    }
    makers.push(end)
    return end
  }

  return {
    url,
    app,
    sandbox,
    dev,
    chain,
    takerOf: ({ privateKey }) => createTakerClient({ url, account: privateKeyToAccount(privateKey), chain }),
    walletOf: ({ privateKey }) =>
      createPageWallet({ account: privateKeyToAccount(privateKey), chainId, node: dev.request as never }),
    runMaker,
    close: async () => {
      await Promise.all(makers.map((end) => end()))
      await app.close()
      removeFolder(dataDir)
    },
  }
}
