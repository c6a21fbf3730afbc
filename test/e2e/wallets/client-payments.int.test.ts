import { http, maxUint256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApprovalMethod, CommittedTrade } from '../../../src/client/fill.ts'
import { createTakerClient } from '../../../src/client/taker.ts'
import type { TakerClient } from '../../../src/client/taker-client.ts'
import { serviceRfqSettlementAbi, testUsdAbi } from '../../../src/protocol/contracts/abi.ts'
import {
  contractFillAuthorization,
  contractPayment,
  type GaslessFill,
  type PaymentMethod,
} from '../../../src/protocol/domain/gasless-fill.ts'
import { contractOrder, type Order } from '../../../src/protocol/domain/order.ts'
import { type Address, usd6 } from '../../../src/protocol/domain/units.ts'
import { makeKeyWallet } from '../../support/wallets/key-wallet.ts'
import { makeWallet } from '../../support/wallets/make-wallets.ts'
import { approve, PERMIT2 } from '../../support/wallets/payments.ts'
import { providerOf } from '../../support/wallets/provider.ts'
import { digestOf, domainOf, FEE, FEE_RECIPIENT, forgetAllowances, orderOf } from '../../support/wallets/trade.ts'
import type { TestWallet } from '../../support/wallets/wallet.ts'
import { type CoinName, type Market, startWalletWorld, type WalletWorld } from '../../support/wallets/world.ts'

const START = 10n ** 12n

let world: WalletWorld
let maker: TestWallet
let taker: TestWallet & { key: `0x${string}` }

beforeAll(async () => {
  world = await startWalletWorld()
  maker = await makeKeyWallet(world.dev, 'a maker')
  taker = await makeKeyWallet(world.dev, 'a taker')
  for (const market of Object.values(world.markets)) {
    for (const { address } of [maker, taker]) await world.mint(market, address, START)
    for (const spender of [market.deployment.coreAddress, market.deployment.settlementAddress]) {
      await approve({ market, wallet: maker, spender, due: START })
    }
  }
})
afterAll(() => world?.stop())

const setupOf = ({ deployment, domain: { chainId } }: Market) => ({
  ...deployment,
  chainId,
  transport: http(world.rpcUrl),
  pollingIntervalMs: 10,
})

const clientOf = (market: Market): TakerClient =>
  createTakerClient({
    url: 'http://127.0.0.1:1',
    account: privateKeyToAccount(taker.key),
    chain: setupOf(market),
  })

/** A trade as an honest relay gives it to its taker. */
async function committed(market: Market, makerSelling: boolean, over: Partial<Order> = {}): Promise<CommittedTrade> {
  const now = Number((await world.dev.getBlock()).timestamp)
  const sides = { maker: maker.address, taker: taker.address, makerSelling }
  const order = { ...orderOf(market, sides), validUntil: now + 130, ...over }
  const { conditionId, yesTokenId, optionType, strikeBps, expiry } = market.terms
  const { optionAmount, premiumAmount } = order
  const price = usd6(premiumAmount / optionAmount)
  return {
    message: '',
    mode: 'onchain',
    quote: {
      makerId: 'm',
      quoteId: 'q',
      maker: null,
      price,
      size: optionAmount,
      fillContracts: optionAmount,
      side: makerSelling ? 'buy' : 'sell',
      expiresInMs: null,
    },
    execution: { executionId: 'e', requestId: 'r', quoteId: 'q', makerId: 'm', executedAt: 0 },
    onchain: {
      ...market.deployment,
      order,
      makerSignature: await maker.signHash(digestOf(market, order)),
      domain: domainOf(market),
      chainId: market.domain.chainId,
      takerApproval: { spender: PERMIT2, amount: usd6(maxUint256), reason: 'premium' },
    },
    terms: {
      wallet: null,
      market: { conditionId, yesTokenId, question: null },
      option: { optionType, strikeBps, expiryMs: expiry * 1_000 },
      trade: makerSelling ? { side: 'buy', budget: premiumAmount } : { side: 'sell', size: optionAmount },
    },
    protections: { limitPrice: price, minContracts: null },
  }
}

const termsOf = (market: Market, over = {}) => ({
  chainId: market.domain.chainId,
  settlementAddress: market.deployment.settlementAddress,
  feeRecipient: FEE_RECIPIENT,
  fee: FEE,
  ...over,
})

/** Fills for the taker, from a wallet that has nothing to do with either side. */
async function relay(market: Market, fill: GaslessFill, fee: bigint = fill.authorization.maxFee) {
  const { request } = await world.dev.simulateContract({
    account: world.accounts.deployer.address,
    address: market.deployment.settlementAddress,
    abi: serviceRfqSettlementAbi,
    functionName: 'fillFor',
    args: [
      contractOrder(fill.order),
      fill.makerSignature,
      contractPayment(fill.payment),
      contractFillAuthorization(fill.authorization),
      fill.takerSignature,
      fee,
    ],
  })
  const hash = await world.dev.writeContract(request)
  await world.dev.waitForTransactionReceipt({ hash })
  return hash
}

const approvePermit2 = (market: Market) => approve({ market, wallet: taker, spender: PERMIT2, due: maxUint256 })
const balanceOf = (market: Market, address: Address) =>
  world.dev.readContract({
    address: market.deployment.stablecoinAddress,
    abi: testUsdAbi,
    functionName: 'balanceOf',
    args: [address],
  })
const sentByTaker = () => world.dev.getTransactionCount({ address: taker.address })

describe.each<[PaymentMethod & ('authorization' | 'permit2'), CoinName]>([
  ['authorization', 'USDC'],
  ['permit2', 'USDC'],
  ['permit2', 'TestUSD'],
])('a taker that pays by %s in %s', (method, coin) => {
  test.each([
    ['buys', true],
    ['writes', false],
  ])('%s in one transaction, of exactly what is due, and leaves no allowance', async (_, makerSelling) => {
    const market = world.markets[coin]
    await forgetAllowances(market, taker)
    if (method === 'permit2') await approvePermit2(market)
    const client = clientOf(market)
    const before = { sent: await sentByTaker(), dollars: await client.getBalance() }
    const fill = await client.fillOrder({ commitment: await committed(market, makerSelling), approval: method })
    expect(fill).toMatchObject({ approval: null, usedPermit: false, payment: method, fill: { status: 'success' } })
    expect(await sentByTaker()).toBe(before.sent + 1)
    expect(await client.getBalance()).toBeLessThan(before.dollars)
    expect([await client.getAllowance('settlement'), await client.getAllowance('core')]).toEqual([0n, 0n])
    expect(await balanceOf(market, market.deployment.settlementAddress)).toBe(0n)
  })
})

describe("a partner's share", () => {
  const PARTNER: Address = '0x0202020202020202020202020202020202020202'
  const partnerFee = { recipient: PARTNER, bps: 250 }

  test.each<[CoinName, ApprovalMethod, boolean]>([
    ['TestUSD', 'approve', true],
    ['TestUSD', 'approve', false],
    ['TestUSD', 'permit', true],
    ['TestUSD', 'permit', false],
    ['USDC', 'authorization', true],
    ['USDC', 'authorization', false],
    ['TestUSD', 'permit2', true],
    ['USDC', 'permit2', false],
  ])('is paid in %s by %s (buys: %s), and no allowance is left', async (coin, approval, makerSelling) => {
    const market = world.markets[coin]
    await forgetAllowances(market, taker)
    if (approval === 'permit2') await approvePermit2(market)
    const client = clientOf(market)
    const commitment = await committed(market, makerSelling)
    const premium = commitment.onchain?.order.premiumAmount ?? usd6(0n)
    const share = (premium * 250n) / 10_000n
    const sums = async () => [await balanceOf(market, PARTNER), await balanceOf(market, maker.address)] as const
    const [before, dollars] = [await sums(), await client.getBalance()]
    const filled = await client.fillOrder({ commitment, approval, partnerFee })
    expect(filled).toMatchObject({ partnerFee: share, usedPermit: approval === 'permit' })
    const after = await sums()
    expect(after[0] - before[0]).toBe(share)
    // The maker has premium and collateral of its order, and nothing of the share.
    const moved = after[1] - before[1]
    const collateral = makerSelling ? premium - moved : dollars - (await client.getBalance()) + premium - share
    expect(moved).toBe(makerSelling ? premium - collateral : -premium)
    if (makerSelling) expect(dollars - (await client.getBalance())).toBe(premium + share)
    expect(collateral).toBeGreaterThan(0n)
    expect([await client.getAllowance('settlement'), await client.getAllowance('core')]).toEqual([0n, 0n])
    expect(await balanceOf(market, market.deployment.settlementAddress)).toBe(0n)
  })

  test('is approved with the premium, where that alone is approved', async () => {
    const market = world.markets.TestUSD
    const client = clientOf(market)
    const commitment = await committed(market, true)
    const due = commitment.onchain?.order.premiumAmount ?? 0n
    await approve({ market, wallet: taker, spender: market.deployment.settlementAddress, due })
    const filled = await client.fillOrder({ commitment, partnerFee })
    expect(filled.approval?.status).toBe('success')
    expect(await client.getAllowance('settlement')).toBe(0n)
  })

  test('is part of a fill that a relayer sends', async () => {
    const market = world.markets.TestUSD
    for (const makerSelling of [true, false]) {
      await forgetAllowances(market, taker)
      const client = clientOf(market)
      const commitment = await committed(market, makerSelling)
      const before = await balanceOf(market, PARTNER)
      const input = { commitment, terms: termsOf(market), maxFee: FEE, partnerFee }
      const fill = await client.prepareGaslessFill(input)
      expect(fill.authorization.partnerFee).toEqual(partnerFee)
      await relay(market, fill)
      expect((await balanceOf(market, PARTNER)) - before).toBe(
        ((commitment.onchain?.order.premiumAmount ?? 0n) * 250n) / 10_000n,
      )
    }
  })

  test('is refused before anything is signed where the contract would refuse it, or the money is short', async () => {
    const market = world.markets.TestUSD
    const client = clientOf(market)
    const commitment = await committed(market, true)
    const sent = await sentByTaker()
    for (const bad of [
      { recipient: PARTNER, bps: 501 },
      { recipient: PARTNER, bps: 0 },
      { recipient: PARTNER, bps: 2.5 },
      { recipient: market.deployment.coreAddress, bps: 25 },
      { recipient: market.deployment.settlementAddress, bps: 25 },
      { recipient: `0x${'0'.repeat(40)}` as Address, bps: 25 },
    ]) {
      const error = { name: 'ClientSetupError' }
      await expect(client.fillOrder({ commitment, partnerFee: bad })).rejects.toMatchObject(error)
      const gasless = { commitment, terms: termsOf(market), maxFee: FEE, partnerFee: bad }
      await expect(client.prepareGaslessFill(gasless)).rejects.toMatchObject(error)
    }
    const poor = await makeKeyWallet(world.dev, 'a taker with the premium alone')
    await world.mint(market, poor.address, commitment.onchain?.order.premiumAmount ?? 0n)
    const theirs = createTakerClient({
      url: 'http://127.0.0.1:1',
      account: privateKeyToAccount(poor.key),
      chain: setupOf(market),
    })
    const short = theirs.fillOrder({ commitment: await committed(market, true, { taker: poor.address }), partnerFee })
    await expect(short).rejects.toMatchObject({ name: 'PaymentError', code: 'payment_unavailable' })
    expect(await sentByTaker()).toBe(sent)
  })
})

test('a way to pay that the coin or the wallet does not have is refused before anything is sent, with what to do', async () => {
  const market = world.markets.TestUSD
  await forgetAllowances(market, taker)
  const client = clientOf(market)
  const sent = await sentByTaker()
  const commitment = await committed(market, true)
  await expect(client.fillOrder({ commitment, approval: 'authorization' })).rejects.toMatchObject({
    name: 'PaymentError',
    code: 'payment_unavailable',
    message: expect.stringContaining('EIP-3009'),
    hint: expect.stringContaining('permit'),
  })
  const usdc = clientOf(world.markets.USDC)
  await forgetAllowances(world.markets.USDC, taker)
  await approve({ market: world.markets.USDC, wallet: taker, spender: PERMIT2, due: 0n })
  const before = await sentByTaker()
  await expect(
    usdc.fillOrder({ commitment: await committed(world.markets.USDC, true), approval: 'permit2' }),
  ).rejects.toMatchObject({ code: 'payment_unavailable', hint: expect.stringContaining(PERMIT2) })
  expect([await sentByTaker(), sent <= before]).toEqual([before, true])
})

describe('a taker without coin', () => {
  test.each<[PaymentMethod | undefined, CoinName, boolean]>([
    [undefined, 'TestUSD', true],
    ['permit', 'TestUSD', false],
    ['authorization', 'USDC', true],
    ['authorization', 'USDC', false],
    ['permit2', 'USDC', true],
    ['permit2', 'TestUSD', false],
  ])('signs a fill for a relayer, by %s in %s (buys: %s)', async (payment, coin, makerSelling) => {
    const market = world.markets[coin]
    await forgetAllowances(market, taker)
    if (payment === 'permit2') await approvePermit2(market)
    const client = clientOf(market)
    const commitment = await committed(market, makerSelling)
    const sent = await sentByTaker()
    const input = { commitment, terms: termsOf(market), maxFee: FEE, ...(payment === undefined ? {} : { payment }) }
    const fill = await client.prepareGaslessFill(input)
    expect(fill.payment.method).toBe(payment ?? 'permit')
    expect(fill.authorization).toMatchObject({ maxFee: FEE, feeRecipient: FEE_RECIPIENT })
    const before = await balanceOf(market, FEE_RECIPIENT)
    const transactionHash = await relay(market, fill)
    expect((await client.confirmRelayedFill({ commitment, transactionHash })).status).toBe('success')
    expect((await balanceOf(market, FEE_RECIPIENT)) - before).toBe(FEE)
    expect(await sentByTaker()).toBe(sent)
  })

  test('that is a contract pays by Permit2 where the coin takes permits of keys alone', async () => {
    const market = world.markets.TestUSD
    const wallet = await makeWallet(world, 'safeOfOne', 'a contract without coin')
    await world.mint(market, wallet.address, START)
    const client = createTakerClient({
      url: 'http://127.0.0.1:1',
      account: providerOf(wallet, world.rpcUrl),
      chain: setupOf(market),
    })
    const commitment = await committed(market, true, { taker: wallet.address })
    const input = { commitment, terms: termsOf(market), maxFee: FEE }
    await expect(client.prepareGaslessFill({ ...input, payment: 'permit' })).rejects.toMatchObject({
      code: 'payment_unavailable',
      message: expect.stringContaining('of this wallet'),
    })
    await approve({ market, wallet, spender: PERMIT2, due: maxUint256 })
    const fill = await client.prepareGaslessFill(input)
    expect(fill.payment.method).toBe('permit2')
    await relay(market, fill)
    expect(await balanceOf(market, wallet.address)).toBeLessThan(START)
  })

  test('signs for no longer than a relayer needs, and for no more than was shown', async () => {
    const market = world.markets.TestUSD
    const fill = await clientOf(market).prepareGaslessFill({
      commitment: await committed(market, true),
      terms: termsOf(market),
      maxFee: usd6(FEE * 2n),
    })
    const now = Number((await world.dev.getBlock()).timestamp)
    expect(fill.authorization.deadline - now).toBeLessThanOrEqual(60)
    await expect(relay(market, fill, FEE + 1n)).rejects.toThrow('FeeAboveMax')
    const other = { ...fill, authorization: { ...fill.authorization, feeRecipient: maker.address } }
    await expect(relay(market, other)).rejects.toThrow('FillAuthorizationInvalid')
    const { onchain } = await committed(market, true)
    if (onchain === null) throw new Error('simulated')
    const { order, makerSignature } = onchain
    await expect(relay(market, { ...fill, order, makerSignature })).rejects.toThrow('FillAuthorizationMismatch')
  })

  test.each([
    ['asks for more than the limit', { fee: usd6(FEE + 1n) }, 'fee_above_limit'],
    ['fills on another chain', { chainId: 1 }, 'relayer_mismatch'],
    ['fills on another contract', { settlementAddress: PERMIT2 }, 'relayer_mismatch'],
  ])('signs nothing for a relayer that %s', async (_, over, code) => {
    const market = world.markets.TestUSD
    const input = { commitment: await committed(market, true), terms: termsOf(market, over), maxFee: FEE }
    await expect(clientOf(market).prepareGaslessFill(input)).rejects.toMatchObject({ name: 'PaymentError', code })
  })

  test('signs nothing for an order that is not what was agreed, or a fee above the premium that it is taken from', async () => {
    const market = world.markets.TestUSD
    const client = clientOf(market)
    const terms = termsOf(market)
    const dear = await committed(market, true)
    const cheap = { ...dear, protections: { ...dear.protections, limitPrice: usd6(1n) } }
    await expect(client.prepareGaslessFill({ commitment: cheap, terms, maxFee: FEE })).rejects.toMatchObject({
      name: 'OrderMismatchError',
    })
    const commitment = await committed(market, false)
    const fee = usd6((commitment.onchain?.order.premiumAmount ?? 0n) + 1n)
    const greedy = client.prepareGaslessFill({ commitment, terms: termsOf(market, { fee }), maxFee: fee })
    await expect(greedy).rejects.toMatchObject({ code: 'fee_above_limit' })
  })

  test('does not take a relayer at its word: a transaction that filled something else is no fill', async () => {
    const market = world.markets.TestUSD
    const client = clientOf(market)
    const done = await committed(market, true)
    const fill = await client.prepareGaslessFill({ commitment: done, terms: termsOf(market), maxFee: FEE })
    const transactionHash = await relay(market, fill)
    const commitment = await committed(market, true)
    await expect(client.confirmRelayedFill({ commitment, transactionHash })).rejects.toMatchObject({
      name: 'TransactionUnminedError',
    })
  })
})
