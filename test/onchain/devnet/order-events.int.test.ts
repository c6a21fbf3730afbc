import { maxUint256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDevClient, type DevClient } from '../../../src/onchain/devnet/client.ts'
import { registerSeries } from '../../../src/onchain/devnet/seed.ts'
import { type Devnet, startDevnet } from '../../../src/onchain/devnet/start.ts'
import { serviceRfqSettlementAbi, testUsdAbi } from '../../../src/protocol/contracts/abi.ts'
import { orderTypedData } from '../../../src/protocol/domain/order.ts'
import type { OrderEnd } from '../../../src/protocol/domain/order-end.ts'
import { type SeriesTerms, seriesIdOf } from '../../../src/protocol/domain/series.ts'
import { type Address, contracts, type StrikeBps, usd6 } from '../../../src/protocol/domain/units.ts'
import { connectChain } from '../../../src/relay/adapters/chain/connect.ts'
import { createLocalBus } from '../../../src/relay/adapters/live/memory/bus.ts'
import { createMemoryStore } from '../../../src/relay/adapters/store/memory.ts'
import { createOrderWatch } from '../../../src/relay/core/order-watch.ts'
import type { Acceptance, Store } from '../../../src/relay/core/ports/store.ts'
import { anAcceptance, aQuote, aRequest, SIGNATURE } from '../../ports/store.fixtures.ts'
import { createFakeLog } from '../../support/fake-log.ts'
import { RELAY_SETTINGS } from '../../support/test-relay.ts'

const clock = { now: () => Date.now(), schedule: () => () => {}, afterTurn: () => {} }

/** How long most orders can be filled. */
const VALID_S = 3_000

let devnet: Devnet
let client: DevClient
let series: SeriesTerms
let store: Store
let connected: Awaited<ReturnType<typeof connectChain>>
let nonce = 100

beforeAll(async () => {
  devnet = await startDevnet({ dataDir: null, port: 0, seriesAt: () => [] })
  client = createDevClient(devnet.rpcUrl)
  const { coreAddress, settlementAddress, stablecoinAddress } = devnet.deployment
  const expiry = Number((await client.getBlock()).timestamp) + 86_400
  series = {
    conditionId: `0x${'66'.repeat(32)}`,
    yesTokenId: '6',
    strikeBps: 5_000 as StrikeBps,
    expiry,
    optionType: 'call',
  }
  await registerSeries(client, { owner: devnet.accounts.deployer.address, coreAddress, series: [series] })
  const account = taker().address
  const approval = { address: stablecoinAddress, abi: testUsdAbi, functionName: 'approve' } as const
  await mined(await client.writeContract({ account, ...approval, args: [settlementAddress, maxUint256] }))
  connected = await connectChain({
    rpcUrl: devnet.rpcUrl,
    environment: { chainId: devnet.chainId, ...devnet.deployment },
    startBlock: devnet.startBlock,
    cacheMs: 0,
    clock,
  })
  store = createMemoryStore({ clock })
})
afterAll(() => devnet.stop())

const maker = () => devnet.accounts.makers[0] as Devnet['accounts']['makers'][number]
const taker = () => devnet.accounts.takers[0] as Devnet['accounts']['takers'][number]
const mined = (hash: `0x${string}`) => client.waitForTransactionReceipt({ hash })

/** A node of its own on the store that all share. */
async function openWatch() {
  const told: unknown[] = []
  const bus = createLocalBus({ log: createFakeLog() })
  bus.subscribe('maker', 'maker-1', (message) => told.push(message))
  const { chain, orderEvents } = connected
  const watch = createOrderWatch({
    store,
    chain,
    orderEvents,
    bus,
    clock,
    log: createFakeLog(),
    audit: { record: () => {} },
    records: { note: () => {} },
    settings: { ...RELAY_SETTINGS, makerConfirmationMs: 0, orderValidityMs: VALID_S * 1_000 },
  })
  await watch.resume()
  await watch.poll()
  return { watch, told }
}

/** An order that the store knows to be signed, which can be filled for so many seconds. */
async function signed(validS: number): Promise<Acceptance> {
  nonce += 1
  const now = Date.now()
  const request = aRequest(now, { seriesId: seriesIdOf(series) })
  const quote = aQuote(request, { maker: maker().address })
  const validUntil = Number((await client.getBlock()).timestamp) + validS
  const made = anAcceptance(request, { now, quote, nonce, validUntil })
  const order = {
    ...made.order,
    seriesId: seriesIdOf(series),
    taker: taker().address,
    optionAmount: contracts(10n),
    premiumAmount: usd6(1_000_000n),
  }
  const acceptance = { ...made, order }
  await store.requests.insert(request)
  await store.acceptances.insert(acceptance)
  const { version } = await store.acceptances.outstandingOf(order.maker, 0)
  await store.acceptances.confirm(
    acceptance.acceptanceId,
    { executionId: request.requestId, signature: SIGNATURE },
    version,
  )
  return acceptance
}

async function fill({ order }: Acceptance): Promise<void> {
  const domain = {
    name: 'ServiceRFQSettlement',
    version: '1',
    chainId: devnet.chainId,
    verifyingContract: devnet.deployment.settlementAddress,
  } as const
  const signature = await privateKeyToAccount(maker().privateKey).signTypedData(orderTypedData(order, domain))
  const onchain = {
    ...order,
    seriesId: BigInt(order.seriesId),
    validUntil: BigInt(order.validUntil),
    nonce: BigInt(order.nonce),
  }
  const settlement = { address: devnet.deployment.settlementAddress, abi: serviceRfqSettlementAbi } as const
  const hash = await client.writeContract({
    account: taker().address,
    ...settlement,
    functionName: 'fill',
    args: [onchain, signature],
  })
  expect((await mined(hash)).status).toBe('success')
}

const endOf = ({ requestId }: Acceptance): Promise<OrderEnd | null> => store.orders.endOf(requestId)

it('orders end on a real chain: filled, cancelled and expired, each announced once its block is final', async () => {
  const { watch, told } = await openWatch()
  const [filled, cancelled, expired] = [await signed(VALID_S), await signed(VALID_S), await signed(60)]
  await fill(filled)
  const settlement = { address: devnet.deployment.settlementAddress, abi: serviceRfqSettlementAbi } as const
  const args = [BigInt(cancelled.order.nonce)] as const
  await mined(
    await client.writeContract({ account: maker().address, ...settlement, functionName: 'cancelNonce', args }),
  )
  await client.mine({ blocks: 3 })
  await watch.poll()
  expect(await endOf(filled)).toMatchObject({ state: 'filled', blockNumber: expect.any(Number) })
  expect(await endOf(cancelled)).toMatchObject({ state: 'cancelled' })
  expect(await endOf(expired)).toBeNull()
  await devnet.warp(61)
  await client.mine({ blocks: 3 })
  await watch.poll()
  expect(await endOf(expired)).toEqual({ state: 'expired' })
  await watch.poll()
  expect(told).toHaveLength(3)
  expect((await openWatch()).told).toEqual([])
})

it('a fill that a reorganisation takes away before it is final is not announced, and funds of its block are refused', async () => {
  const { watch, told } = await openWatch()
  const order = await signed(VALID_S)
  const id = await client.snapshot()
  await fill(order)
  const { readTo, uses } = await connected.orderEvents.read('latest')
  expect(uses.get(order.order.maker.toLowerCase())).toHaveLength(3)
  const wallets = [{ wallet: order.order.maker, spender: 'core' }] as const
  if (readTo === null) throw new Error('nothing was read')
  await connected.chain.fundsAt(wallets, readTo)
  await client.revert({ id })
  await client.mine({ blocks: 5 })
  await expect(connected.chain.fundsAt([{ wallet: taker().address, spender: 'core' }], readTo)).rejects.toMatchObject({
    code: 'chain_unavailable',
  })
  await watch.poll()
  expect(await endOf(order)).toBeNull()
  await fill(order)
  await client.mine({ blocks: 3 })
  await watch.poll()
  expect(await endOf(order)).toMatchObject({ state: 'filled' })
  expect(told).toHaveLength(1)
})

/** What is in the newest block becomes final, and is some time ago: no fill in it explains what lacks then. */
const final = () => client.mine({ blocks: 12, interval: 2 })

it('a maker that takes away its money, or its allowance, is announced for each open order, once that block is final', async () => {
  await final()
  const { watch, told } = await openWatch()
  const order = await signed(VALID_S)
  const { stablecoinAddress, coreAddress } = devnet.deployment
  const usd = { account: maker().address, address: stablecoinAddress, abi: testUsdAbi } as const
  const balance = await client.readContract({ ...usd, functionName: 'balanceOf', args: [maker().address] })
  const move = async (from: Address, to: Address) =>
    mined(await client.writeContract({ ...usd, account: from, functionName: 'transfer', args: [to, balance] }))
  const approve = async (amount: bigint) =>
    mined(await client.writeContract({ ...usd, functionName: 'approve', args: [coreAddress, amount] }))
  await final()
  await watch.poll()
  await move(maker().address, taker().address)
  await watch.poll()
  expect(told).toEqual([])
  await final()
  await watch.poll()
  const { requestId, quoteId } = order
  const defunding = { code: 'maker_insufficient_balance', blockNumber: expect.any(Number) }
  expect(told).toEqual([{ kind: 'order_defunded', requestId, quoteId, defunding }])
  await expect(fill(order)).rejects.toThrow()
  await move(taker().address, maker().address)
  await final()
  await watch.poll()
  const other = await signed(VALID_S)
  await approve(0n)
  await final()
  await watch.poll()
  expect(told.slice(1)).toMatchObject([
    { requestId: other.requestId, defunding: { code: 'maker_insufficient_allowance' } },
  ])
  await approve(maxUint256)
  await final()
  await fill(order)
  await fill(other)
  await final()
  await watch.poll()
  expect(told.slice(2)).toMatchObject([{ kind: 'order_ended' }, { kind: 'order_ended' }])
})

it('money that a reorganisation puts back was never taken away', async () => {
  const { watch, told } = await openWatch()
  const order = await signed(VALID_S)
  await final()
  await watch.poll()
  const id = await client.snapshot()
  const usd = { account: maker().address, address: devnet.deployment.stablecoinAddress, abi: testUsdAbi } as const
  const balance = await client.readContract({ ...usd, functionName: 'balanceOf', args: [maker().address] })
  await mined(await client.writeContract({ ...usd, functionName: 'transfer', args: [taker().address, balance] }))
  await watch.poll()
  await client.revert({ id })
  await final()
  await watch.poll()
  expect(told).toEqual([])
  await fill(order)
})
