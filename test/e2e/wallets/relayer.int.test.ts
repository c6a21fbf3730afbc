import { parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRelayerClient } from '../../../src/client/index.ts'
import { readChainTime } from '../../../src/onchain/devnet/warp.ts'
import { serviceRfqSettlementAbi } from '../../../src/protocol/contracts/abi.ts'
import { createSystemClock } from '../../../src/relay/adapters/clock.ts'
import { createLog } from '../../../src/relay/adapters/log.ts'
import { type RunningRelayer, startRelayer } from '../../../src/relay/app/start-relayer.ts'
import { makeKeyWallet } from '../../support/wallets/key-wallet.ts'
import { makeWallet } from '../../support/wallets/make-wallets.ts'
import {
  type Cell,
  GASLESS_TAKERS,
  TAKER_WAYS,
  type TakerWay,
  WALLETS,
  type WalletId,
} from '../../support/wallets/matrix.ts'
import { approve, payBy } from '../../support/wallets/payments.ts'
import {
  authorizeFill,
  digestOf,
  duesOf,
  FEE,
  FEE_RECIPIENT,
  forgetAllowances,
  holdingsOf,
  orderOf,
} from '../../support/wallets/trade.ts'
import { call, type TestWallet } from '../../support/wallets/wallet.ts'
import { type Market, startWalletWorld, type WalletWorld } from '../../support/wallets/world.ts'

/** Takers that send no transaction, of every kind of wallet, by a relayer that runs. */

const IDS = Object.keys(WALLETS) as WalletId[]
const START = 1_000_000_000n

let world: WalletWorld
let market: Market
let maker: TestWallet
let relayer: RunningRelayer
const wallets = {} as Record<WalletId, TestWallet>

beforeAll(async () => {
  world = await startWalletWorld()
  market = world.markets.USDC
  const { dev } = world
  maker = await makeKeyWallet(dev, 'the maker of every taker')
  for (const id of IDS) wallets[id] = await makeWallet(world, id, id)
  for (const { address } of [maker, ...Object.values(wallets)]) await world.mint(market, address, START)
  await approve({ market, wallet: maker, spender: market.deployment.coreAddress, due: START })
  const account = privateKeyToAccount(generatePrivateKey())
  await dev.setBalance({ address: account.address, value: parseEther('10') })
  const { chainId } = market.domain
  relayer = await startRelayer({
    account,
    rpcUrl: world.rpcUrl,
    environment: { chainId, ...market.deployment },
    settings: {
      chainId,
      settlementAddress: market.deployment.settlementAddress,
      feeRecipient: FEE_RECIPIENT,
      fee: FEE,
      coinPrice: null,
      maxGas: 1_000_000n,
      maxGasPrice: 100n * 10n ** 9n,
      maxCoinPerDay: parseEther('1'),
      maxFillsPerHour: 1_000,
      maxFillsPerClient: 1_000,
      maxQueue: 10,
    },
    server: {
      software: 'test',
      trustProxy: false,
      corsOrigins: '*',
      maxConnections: null,
      maxConnectionsPerAddress: null,
      keepAliveMs: 1_000,
      requestRate: { perS: 1_000, burst: 1_000 },
    },
    host: '127.0.0.1',
    port: 0,
    clock: createSystemClock(),
    log: createLog({ level: 'error', out: { write: () => true } }),
  })
})

afterAll(async () => {
  await relayer?.close()
  await world?.stop()
})

/** The ways of this market's coin. */
const ways = (id: WalletId) =>
  (Object.entries(GASLESS_TAKERS[id]) as [TakerWay, Cell][]).filter(([way]) => TAKER_WAYS[way].coin === market.coin)

describe('a relayer', () => {
  it.each(IDS)('fills for a taker that is %s what the table says, and refuses the rest', async (id) => {
    const wallet = wallets[id]
    for (const [way, cell] of ways(id)) {
      const order = orderOf(market, { maker: maker.address, taker: wallet.address, makerSelling: true })
      await forgetAllowances(market, wallet)
      const { due, spender } = duesOf(market, order).taker
      const payment = await payBy(world.dev, TAKER_WAYS[way].method, { market, wallet, spender, due: due + FEE })
      const { authorization, signature: takerSignature } = await authorizeFill(market, order, wallet)
      const makerSignature = await maker.signHash(digestOf(market, order))
      const before = await holdingsOf(world.dev, market, wallet.address)
      const submitted = createRelayerClient({ url: relayer.url }).submitFill({
        fill: { order, makerSignature, payment, authorization, takerSignature },
      })
      if (cell !== 'works') {
        await expect(submitted).rejects.toMatchObject({ code: 'fill_refused' })
        continue
      }
      await submitted
      await expect
        .poll(() => holdingsOf(world.dev, market, wallet.address))
        .toEqual({ ...before, dollars: before.dollars - due - FEE, held: before.held + order.optionAmount })
    }
  })

  it('fills nothing for a taker that a key signed which may only sign its orders', async () => {
    const { settlementAddress } = market.deployment
    const [taker, thief] = [wallets.eoa, await makeKeyWallet(world.dev, 'a stolen hot key')]
    const until = BigInt(await readChainTime(world.dev)) + 3_600n
    await taker.send([call(settlementAddress, serviceRfqSettlementAbi, 'authorizeSigner', [thief.address, until])])
    const order = orderOf(market, { maker: maker.address, taker: taker.address, makerSelling: true })
    const payment = await payBy(world.dev, 'allowance', {
      market,
      wallet: taker,
      spender: settlementAddress,
      due: START,
    })
    const { authorization, signature: takerSignature } = await authorizeFill(market, order, thief)
    const makerSignature = await maker.signHash(digestOf(market, order))
    const fill = { order, makerSignature, payment, authorization, takerSignature }
    const submitted = createRelayerClient({ url: relayer.url }).submitFill({ fill })
    await expect(submitted).rejects.toMatchObject({ code: 'fill_refused' })
  })
})
