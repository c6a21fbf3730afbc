import { http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type CommittedTrade,
  type ContractCalls,
  contracts,
  createContractCalls,
  createMakerClient,
  createTakerClient,
  type MakerClient,
  RfqctlError,
  type TakerClient,
  type TakerRequest,
  UNLIMITED,
  usd6,
} from '../../../src/client/index.ts'
import { readChainTime } from '../../../src/onchain/devnet/warp.ts'
import { type RunningApp, startApp } from '../../../src/relay/app/start-app.ts'
import { loadSettings } from '../../../src/relay/config/settings.ts'
import { newFolder, removeFolder } from '../../kit/folder.ts'
import { makeKeyWallet } from '../../support/wallets/key-wallet.ts'
import { makeWallet } from '../../support/wallets/make-wallets.ts'
import { MAKERS, TAKERS, WALLETS, type WalletId } from '../../support/wallets/matrix.ts'
import { approve, PERMIT2 } from '../../support/wallets/payments.ts'
import { providerOf } from '../../support/wallets/provider.ts'
import { forgetAllowances, holdingsOf } from '../../support/wallets/trade.ts'
import type { TestWallet } from '../../support/wallets/wallet.ts'
import { type Market, startWalletWorld, type WalletWorld } from '../../support/wallets/world.ts'

/** Every wallet through the whole product: a request, a quote, a commit, a confirmation and a fill, by the client library. */

const IDS = Object.keys(WALLETS) as WalletId[]
const START = 1_000_000_000n
const PRICE = usd6(120_000n)
const AMOUNT = contracts(10n)
const COST = PRICE * AMOUNT
const dataDir = newFolder()
const apiKeyOf = (id: string) => `key-of-the-maker-${id}`

let world: WalletWorld
let market: Market
let app: RunningApp
let calls: ContractCalls
let hotKey: Awaited<ReturnType<typeof makeKeyWallet>>
const wallets = {} as Record<WalletId, TestWallet>

beforeAll(async () => {
  world = await startWalletWorld()
  market = world.markets.USDC
  calls = createContractCalls(market.deployment)
  hotKey = await makeKeyWallet(world.dev, 'a hot key')
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
  removeFolder(dataDir)
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
async function withMaker(maker: MakerClient, act: () => Promise<void>): Promise<void> {
  const end = new AbortController()
  const { signal } = end
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

/** A maker that pays from its own wallet, and has approved that. */
async function readyMaker(id: WalletId): Promise<MakerClient> {
  const maker = makerOf(id)
  for (const spender of ['core', 'settlement'] as const) await maker.approveSpender({ spender, amount: UNLIMITED })
  return maker
}

/** A maker whose orders a key signs that its wallet has authorised. */
async function hotMaker(id: WalletId): Promise<MakerClient> {
  const cold = await readyMaker(id)
  const until = (await readChainTime(world.dev)) + 3_600
  await cold.sendCall({ call: calls.authorizeSigner({ signer: hotKey.address, until }) })
  const account = privateKeyToAccount(hotKey.key)
  const maker = wallets[id].address
  return createMakerClient({ url: app.url, wsUrl: app.wsUrl, apiKey: apiKeyOf(id), account, maker, chain: chain() })
}

/** A request for ten options that has its quote. */
async function openRequest(taker: TakerClient, { address }: TestWallet, side: 'buy' | 'sell'): Promise<TakerRequest> {
  const { conditionId, yesTokenId, optionType, strikeBps, expiry } = market.terms
  const request = await taker.openQuoteRequest({
    market: { conditionId, yesTokenId },
    option: { optionType, strikeBps, expiryMs: expiry * 1_000 },
    trade: side === 'buy' ? { side, budget: usd6(1_200_000n) } : { side, size: AMOUNT },
    wallet: address,
  })
  await expect.poll(async () => (await taker.getBestQuote({ request })).bestQuote?.price).toBe(PRICE)
  return request
}

/** The order that a request for ten options at 12 cents wins. */
async function commit(taker: TakerClient, wallet: TestWallet, side: 'buy' | 'sell'): Promise<CommittedTrade> {
  const request = await openRequest(taker, wallet, side)
  return taker.commitToBestQuote({ request, limitPrice: PRICE, minContracts: AMOUNT })
}

/** Trades ten options of a maker and a taker, and returns what it changed for the taker. */
async function trade(taker: TakerClient, wallet: TestWallet, side: 'buy' | 'sell') {
  const before = await holdingsOf(world.dev, market, wallet.address)
  const commitment = await commit(taker, wallet, side)
  await taker.fillOrder({ commitment })
  const after = await holdingsOf(world.dev, market, wallet.address)
  return { held: after.held - before.held, written: after.written - before.written }
}

/** Those that sign their orders themselves. */
const SIGNING = IDS.filter((id) => MAKERS[id].approve === 'works')

/** Has a wallet pay for an order by a signature: it does where the table says so, and else loses nothing. */
async function expectPayment(id: WalletId, method: 'permit' | 'authorization' | 'permit2'): Promise<void> {
  const [taker, wallet, cell] = [takerOf(id), wallets[id], TAKERS[id][method]]
  await forgetAllowances(market, wallet)
  await approve({ market, wallet, spender: PERMIT2, due: COST })
  const commitment = await commit(taker, wallet, 'buy')
  const before = await holdingsOf(world.dev, market, wallet.address)
  const bought = { dollars: before.dollars - COST, held: before.held + AMOUNT, written: before.written }
  const filling = taker.fillOrder({ commitment, approval: method })
  // A signature of several owners goes into no permit: the client approves instead.
  const approvesInstead = method === 'permit' && cell !== 'works' && cell.no === 'one-signature'
  if (cell === 'works') expect(await filling).toMatchObject({ payment: method, approval: null })
  else if (approvesInstead) expect(await filling).toMatchObject({ payment: 'allowance' })
  else await expect(filling).rejects.toBeInstanceOf(RfqctlError)
  const isFilled = cell === 'works' || approvesInstead
  expect(await holdingsOf(world.dev, market, wallet.address)).toEqual(isFilled ? bought : before)
}

/** Has a maker sign an order that it wins, which the relay refuses. */
async function expectRefused(maker: MakerClient): Promise<void> {
  const refusals: unknown[] = []
  const confirmOrder: MakerClient['confirmOrder'] = async (input) => {
    await maker.confirmOrder(input).catch((fault: unknown) => void refusals.push(fault))
    await maker.declineOrder(input.acceptance)
  }
  await withMaker({ ...maker, confirmOrder }, async () => {
    await expect(commit(takerOf('eoa'), wallets.eoa, 'buy')).rejects.toMatchObject({ code: 'no_maker_confirmed' })
  })
  expect(refusals).toMatchObject([{ code: 'invalid_signature' }])
}

/** The wallet on the other side: one of another row. */
const otherThan = (id: WalletId): WalletId => (id === 'eoa' ? 'simple7702' : 'eoa')

async function expectBothSides(id: WalletId): Promise<void> {
  const taker = takerOf(id)
  expect(await trade(taker, wallets[id], 'buy')).toEqual({ held: AMOUNT, written: 0n })
  expect(await trade(taker, wallets[id], 'sell')).toEqual({ held: 0n, written: AMOUNT })
}

describe('through client, relay and contract', () => {
  it.each(IDS)('a taker that is %s buys and writes', async (id) =>
    withMaker(await readyMaker(otherThan(id)), () => expectBothSides(id)),
  )

  it.each(IDS)('a taker that is %s pays by signatures as the table says', async (id) =>
    withMaker(await readyMaker(otherThan(id)), async () => {
      for (const method of ['permit', 'authorization', 'permit2'] as const) await expectPayment(id, method)
    }),
  )

  it.each(SIGNING)('a maker that is %s sells and buys', async (id) =>
    withMaker(await readyMaker(id), () => expectBothSides(otherThan(id))),
  )

  it.each(IDS)('a maker that is %s sells and buys by a key that it authorised', async (id) =>
    withMaker(await hotMaker(id), () => expectBothSides(otherThan(id))),
  )

  it.each(IDS.filter((id) => !SIGNING.includes(id)))('the relay takes no order that %s signs itself', async (id) =>
    expectRefused(await readyMaker(id)),
  )

  it('the relay takes no order of a key that its maker revoked', async () => {
    const hot = await hotMaker('safe')
    await makerOf('safe').sendCall({ call: calls.revokeSigner({ signer: hotKey.address }) })
    await expectRefused(hot)
  })
})
