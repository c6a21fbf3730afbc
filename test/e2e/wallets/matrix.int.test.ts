import { maxUint256 } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readChainTime } from '../../../src/onchain/devnet/warp.ts'
import { serviceRfqSettlementAbi } from '../../../src/protocol/contracts/abi.ts'
import type { Order } from '../../../src/protocol/domain/order.ts'
import type { Address } from '../../../src/protocol/domain/units.ts'
import { makeKeyWallet } from '../../support/wallets/key-wallet.ts'
import { makeWallet } from '../../support/wallets/make-wallets.ts'
import {
  type Cell,
  GASLESS_TAKERS,
  MAKER_WAYS,
  MAKERS,
  type MakerWay,
  TAKER_WAYS,
  TAKERS,
  type TakerWay,
  WALLETS,
  type WalletId,
} from '../../support/wallets/matrix.ts'
import {
  approve,
  approveThroughPermit2,
  type Due,
  payBy,
  permitCall,
  signPermit,
} from '../../support/wallets/payments.ts'
import {
  authorizeFill,
  digestOf,
  duesOf,
  FEE,
  FEE_RECIPIENT,
  fillCall,
  fillForCall,
  fillWithPaymentCall,
  forgetAllowances,
  holdingsOf,
  orderOf,
  refusalOf,
} from '../../support/wallets/trade.ts'
import { type Call, call, signDigest, type TestWallet } from '../../support/wallets/wallet.ts'
import { type Market, startWalletWorld, type WalletWorld } from '../../support/wallets/world.ts'

/** Every cell of docs/guides/wallets.md, tried on Anvil with the code that the makers of the wallets published. */

const IDS = Object.keys(WALLETS) as WalletId[]
const START = 1_000_000_000n
/** The maker writes the options, or buys them. */
const SIDES = [true, false] as const

let world: WalletWorld
/** Wallets of one key on the other side of every trade, with all approvals. */
let maker: TestWallet
let taker: TestWallet
const wallets = {} as Record<WalletId, TestWallet>
let hotKey: Awaited<ReturnType<typeof makeKeyWallet>>
/** Who fills orders of others, for the fee, and takes permits of others to the coin. */
let submitter: TestWallet

beforeAll(async () => {
  world = await startWalletWorld()
  const { dev, markets } = world
  maker = await makeKeyWallet(dev, 'the maker of every taker')
  taker = await makeKeyWallet(dev, 'the taker of every maker')
  hotKey = await makeKeyWallet(dev, 'a hot key')
  submitter = await makeKeyWallet(dev, 'a submitter')
  for (const id of IDS) wallets[id] = await makeWallet(world, id, id)
  const everyone = [maker, taker, ...Object.values(wallets)]
  for (const market of Object.values(markets)) {
    for (const { address } of everyone) await world.mint(market, address, START)
    const { coreAddress, settlementAddress } = market.deployment
    for (const wallet of [maker, taker]) {
      for (const spender of [coreAddress, settlementAddress])
        await approve({ market, wallet, spender, due: maxUint256 })
    }
  }
})

afterAll(() => world?.stop())

/** A cell that is to be tried: who does the last step, and what it is. */
type Attempt = { market: Market; order: Order; from: Address; last: Call; send: () => Promise<unknown>; fee: bigint }

/** Makes the last step of a trade and sees that it is what the table says; whoever is refused has lost nothing. */
async function expectCell(cell: Cell, { market, order, from, last, send, fee }: Attempt): Promise<void> {
  const { dev } = world
  const parties = [order.maker, order.taker, FEE_RECIPIENT, market.deployment.settlementAddress] as const
  const look = () => Promise.all(parties.map((address) => holdingsOf(dev, market, address)))
  const before = await look()
  expect(await refusalOf(dev, from, last)).toBe(cell === 'works' ? null : cell.error)
  if (cell !== 'works') {
    await expect(send()).rejects.toThrow()
    expect(await look()).toEqual(before)
    return
  }
  await send()
  const after = await look()
  const moved = after.map((now, index) => ({
    dollars: now.dollars - (before[index]?.dollars ?? 0n),
    held: now.held - (before[index]?.held ?? 0n),
    written: now.written - (before[index]?.written ?? 0n),
  }))
  const { makerSelling, optionAmount, premiumAmount } = order
  const dues = duesOf(market, order)
  const collateral = makerSelling ? dues.maker.due : dues.taker.due
  const writer = { dollars: premiumAmount - collateral, held: 0n, written: optionAmount as bigint }
  const buyer = { dollars: -premiumAmount, held: optionAmount as bigint, written: 0n }
  const [makers, takers] = makerSelling ? [writer, buyer] : [buyer, writer]
  expect(moved).toEqual([
    makers,
    { ...takers, dollars: takers.dollars - fee },
    { dollars: fee, held: 0n, written: 0n },
    { dollars: 0n, held: 0n, written: 0n },
  ])
}

describe.each(IDS)('a taker that is %s', (id) => {
  const ways = Object.entries(TAKERS[id]) as [TakerWay, Cell][]
  it.each(ways)('fills its own order by %s', async (way, cell) => {
    const { method, coin } = TAKER_WAYS[way]
    const market = world.markets[coin]
    const wallet = wallets[id]
    for (const makerSelling of SIDES) {
      const order = orderOf(market, { maker: maker.address, taker: wallet.address, makerSelling })
      const makerSignature = await maker.signHash(digestOf(market, order))
      await forgetAllowances(market, wallet)
      const due: Due = { market, wallet, ...duesOf(market, order).taker }
      const payment = await payBy(world.dev, method, due)
      const last =
        method === 'allowance'
          ? fillCall(market, order, makerSignature)
          : fillWithPaymentCall(market, order, makerSignature, payment)
      const attempt = { market, order, from: wallet.address, last, fee: 0n, send: () => wallet.send([last]) }
      await expectCell(cell, attempt)
    }
  })

  it.each(Object.entries(GASLESS_TAKERS[id]) as [TakerWay, Cell][])('has its order filled by %s', async (way, cell) => {
    const { method, coin } = TAKER_WAYS[way]
    const market = world.markets[coin]
    const wallet = wallets[id]
    for (const makerSelling of SIDES) {
      const order = orderOf(market, { maker: maker.address, taker: wallet.address, makerSelling })
      const makerSignature = await maker.signHash(digestOf(market, order))
      await forgetAllowances(market, wallet)
      const { due, spender } = duesOf(market, order).taker
      // A taker that buys pays the fee on top, one that writes out of the premium that it gets.
      const owed = { market, wallet, spender, due: makerSelling ? due + FEE : due }
      const payment = await payBy(world.dev, method, owed)
      const last = fillForCall(market, order, {
        makerSignature,
        payment,
        ...(await authorizeFill(market, order, wallet)),
      })
      const from = submitter.address
      await expectCell(cell, { market, order, from, last, fee: FEE, send: () => submitter.send([last]) })
    }
  })
})

describe.each(IDS)('a maker that is %s', (id) => {
  it.each(Object.entries(MAKERS[id]) as [MakerWay, Cell][])('trades by %s', async (way, cell) => {
    const market = world.markets[MAKER_WAYS[way].coin]
    const wallet = wallets[id]
    for (const makerSelling of SIDES) {
      const order = orderOf(market, { maker: wallet.address, taker: taker.address, makerSelling })
      await forgetAllowances(market, wallet)
      const refusal = await readyMaker(way, { market, wallet, ...duesOf(market, order).maker })
      if (refusal !== null) {
        expect(refusal).toBe(cell === 'works' ? null : cell.error)
        continue
      }
      const digest = digestOf(market, order)
      const signature = way === 'delegated' ? await signDigest(hotKey.key, digest) : await wallet.signHash(digest)
      const last = fillCall(market, order, signature)
      const attempt = { market, order, from: taker.address, last, fee: 0n, send: () => taker.send([last]) }
      await expectCell(cell, attempt)
    }
  })
})

/** Does what a maker does before its order is filled; returns why that is refused, or null. */
async function readyMaker(way: MakerWay, due: Due): Promise<string | null> {
  const { dev } = world
  const { market, wallet } = due
  const { settlementAddress } = market.deployment
  if (way === 'approve') await approve(due)
  if (way === 'permit2') await approveThroughPermit2(due)
  if (way === 'delegated') {
    const until = BigInt(await readChainTime(dev)) + 3_600n
    await approve(due)
    await wallet.send([call(settlementAddress, serviceRfqSettlementAbi, 'authorizeSigner', [hotKey.address, until])])
  }
  if (way === 'permit' || way === 'keyPermit') {
    const submission = permitCall(due, await signPermit(dev, due))
    const refusal = await refusalOf(dev, submitter.address, submission)
    if (refusal !== null) return refusal
    await submitter.send([submission])
  }
  return null
}
