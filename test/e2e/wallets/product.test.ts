import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { http } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../../src/app/start-app.ts'
import {
  contracts,
  createMakerClient,
  createTakerClient,
  type MakerClient,
  type TakerClient,
  UNLIMITED,
  usd6,
} from '../../../src/client/index.ts'
import { loadSettings } from '../../../src/config/settings.ts'
import { makeWallet } from '../../support/wallets/make-wallets.ts'
import { WALLETS, type WalletId } from '../../support/wallets/matrix.ts'
import { providerOf } from '../../support/wallets/provider.ts'
import { holdingsOf } from '../../support/wallets/trade.ts'
import type { TestWallet } from '../../support/wallets/wallet.ts'
import { type Market, startWalletWorld, type WalletWorld } from '../../support/wallets/world.ts'

/** Every wallet through the whole product: a request, a quote, a commit, a confirmation and a fill, by the client library. */

const IDS = Object.keys(WALLETS) as WalletId[]
const START = 1_000_000_000n
const PRICE = usd6(120_000n)
const AMOUNT = contracts(10n)
const dataDir = mkdtempSync(join(tmpdir(), 'rfqctl-wallets-'))
const apiKeyOf = (id: string) => `key-of-the-maker-${id}`

let world: WalletWorld
let market: Market
let app: RunningApp
const wallets = {} as Record<WalletId, TestWallet>

beforeAll(async () => {
  world = await startWalletWorld()
  market = world.markets.USDC
  for (const id of IDS) {
    wallets[id] = await makeWallet(world, id, id)
    await world.mint(market, wallets[id].address, START)
  }
  const { settlementAddress, coreAddress, stablecoinAddress } = market.deployment
  const { settings } = loadSettings({
    flags: { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'error' },
    modes: { memory: true, noChain: false, chainPort: null },
    environment: {
      RPC_URL: world.rpcUrl,
      CHAIN_ID: String(market.domain.chainId),
      SETTLEMENT_ADDRESS: settlementAddress,
      CORE_ADDRESS: coreAddress,
      STABLECOIN_ADDRESS: stablecoinAddress,
      RESOLUTION_SIGNER_KEY: world.accounts.resolutionSigner.privateKey,
      MAKER_API_KEYS: JSON.stringify(IDS.map((id) => ({ apiKey: apiKeyOf(id), makerId: id }))),
      REQUEST_RATE_PER_ADDRESS: '0',
    },
    cwd: dataDir,
  })
  if (settings === null) throw new Error('the settings have a fault')
  app = await startApp({ settings, stop: new AbortController().signal })
})

afterAll(async () => {
  await app?.close()
  await world?.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

const chain = () => ({
  ...market.deployment,
  chainId: market.domain.chainId,
  transport: http(world.rpcUrl),
  pollingIntervalMs: 20,
})

const takerOf = (id: WalletId): TakerClient =>
  createTakerClient({ url: app.url, account: providerOf(wallets[id], world.rpcUrl), chain: chain() })

const makerOf = (id: WalletId): MakerClient => {
  const account = providerOf(wallets[id], world.rpcUrl)
  return createMakerClient({ url: app.url, wsUrl: app.wsUrl, apiKey: apiKeyOf(id), account, chain: chain() })
}

/** Has a maker quote 12 cents for every request and sign what that wins, while something is done. */
async function withMaker(id: WalletId, act: () => Promise<void>): Promise<void> {
  const maker = makerOf(id)
  const end = new AbortController()
  const { signal } = end
  for (const spender of ['core', 'settlement'] as const) await maker.approveSpender({ spender, amount: UNLIMITED })
  const quote = async () => {
    for await (const event of maker.watchQuoteRequests({ signal })) {
      if (event.kind !== 'quote_request') continue
      await maker.submitQuote({ request: event.request, price: PRICE, size: AMOUNT })
    }
  }
  const sign = async () => {
    for await (const message of maker.watchOrders({ signal })) {
      if (message.kind === 'accepted') await maker.confirmOrder({ acceptance: message.acceptance })
    }
  }
  const work = Promise.all([quote(), sign()]).catch((fault: unknown) => {
    if (!signal.aborted) throw fault
  })
  await Promise.race([act(), work])
  end.abort()
  await work
}

/** Trades ten options of a maker and a taker, and returns what it changed for the taker. */
async function trade(taker: TakerClient, wallet: TestWallet, side: 'buy' | 'sell') {
  const { conditionId, yesTokenId, optionType, strikeBps, expiry } = market.terms
  const before = await holdingsOf(world.dev, market, wallet.address)
  const request = await taker.openQuoteRequest({
    market: { conditionId, yesTokenId },
    option: { optionType, strikeBps, expiryMs: expiry * 1_000 },
    trade: side === 'buy' ? { side, budget: usd6(1_200_000n) } : { side, size: AMOUNT },
    wallet: wallet.address,
  })
  await expect.poll(async () => (await taker.getBestQuote({ request })).bestQuote?.price).toBe(PRICE)
  const commitment = await taker.commitToBestQuote({
    request,
    limitPrice: usd6(120_000n),
    minContracts: contracts(10n),
  })
  await taker.fillOrder({ commitment })
  const after = await holdingsOf(world.dev, market, wallet.address)
  return { held: after.held - before.held, written: after.written - before.written }
}

/** Those whose orders the relay takes. */
const KEY_MAKERS = ['eoa', 'simple7702', 'metaMask7702'] as const

/** The wallet on the other side: one of another row. */
const otherThan = (id: WalletId): WalletId => (id === 'eoa' ? 'simple7702' : 'eoa')

async function expectBothSides(id: WalletId): Promise<void> {
  const taker = takerOf(id)
  expect(await trade(taker, wallets[id], 'buy')).toEqual({ held: AMOUNT, written: 0n })
  expect(await trade(taker, wallets[id], 'sell')).toEqual({ held: 0n, written: AMOUNT })
}

describe('through client, relay and contract', () => {
  it.each(IDS)('a taker that is %s buys and writes', (id) => withMaker(otherThan(id), () => expectBothSides(id)))

  it.each(KEY_MAKERS)('a maker that is %s sells and buys', (id) => withMaker(id, () => expectBothSides(otherThan(id))))
})
