import { encodeDeployData, encodeFunctionData, http, maxUint256, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Explanation, explainTransaction, ranOutOfGas } from '../../src/client/explain.ts'
import type { ChainSetup } from '../../src/client/wallet.ts'
import { readArtifact } from '../../src/onchain/deploy/artifact.ts'
import { createDevClient, type DevClient } from '../../src/onchain/devnet/client.ts'
import { type Devnet, startDevnet } from '../../src/onchain/devnet/start.ts'
import { serviceCoreAbi, serviceRfqSettlementAbi, testUsdAbi } from '../../src/protocol/contracts/abi.ts'
import { contractOrder, type Order, orderDomain, orderTypedData } from '../../src/protocol/domain/order.ts'
import { seriesIdOf } from '../../src/protocol/domain/series.ts'
import { type Address, contracts, type Hex, type StrikeBps, usd6 } from '../../src/protocol/domain/units.ts'

const ABI = serviceRfqSettlementAbi
const SPENDER: Address = '0x000000000000000000000000000000000000dEaD'
const OUR_GAS = 500_000n

let devnet: Devnet
let dev: DevClient
let setup: ChainSetup
let order: Order
let makerSignature: Hex
let taker: Address

beforeAll(async () => {
  const terms = { conditionId: `0x${'11'.repeat(32)}` as Hex, yesTokenId: '7', strikeBps: 4_500 as StrikeBps }
  let seriesId = ''
  devnet = await startDevnet({
    dataDir: null,
    port: 0,
    seriesAt: (time) => {
      const series = { ...terms, expiry: time + 3_600, optionType: 'call' as const }
      seriesId = seriesIdOf(series)
      return [series]
    },
  })
  dev = createDevClient(devnet.rpcUrl)
  setup = { chainId: devnet.chainId, ...devnet.deployment, transport: http(devnet.rpcUrl) }
  taker = devnet.accounts.takers[0]?.address as Address
  const maker = privateKeyToAccount(devnet.accounts.makers[0]?.privateKey as Hex)
  order = {
    maker: maker.address,
    seriesId,
    optionAmount: contracts(200n),
    premiumAmount: usd6(24_000_000n),
    makerSelling: true,
    taker,
    validUntil: Number((await dev.getBlock()).timestamp) + 3_000,
    nonce: 3,
  }
  const domain = orderDomain(devnet.chainId, devnet.deployment.settlementAddress)
  makerSignature = await maker.signTypedData(orderTypedData(order, domain))
  await mined(await send(devnet.deployment.stablecoinAddress, approval(devnet.deployment.settlementAddress)))
})

afterAll(() => devnet?.stop())

const approval = (spender: Address) =>
  encodeFunctionData({ abi: testUsdAbi, functionName: 'approve', args: [spender, maxUint256] })
const fillOf = (changed: Partial<Order> = {}) =>
  encodeFunctionData({
    abi: ABI,
    functionName: 'fill',
    args: [contractOrder({ ...order, ...changed }), makerSignature],
  })

const send = (to: Address | null, data: Hex, gas = OUR_GAS) =>
  dev.sendTransaction({ account: taker, chain: null, to, data, gas })
const fill = (data: Hex, gas = OUR_GAS) => send(devnet.deployment.settlementAddress, data, gas)
const mined = (hash: Hex) => dev.waitForTransactionReceipt({ hash })

async function explain(hash: Hex): Promise<Explanation & { status: 'success' | 'reverted' }> {
  await mined(hash)
  const explained = await explainTransaction(setup, hash)
  if (explained === null || explained.status === 'waiting') throw new Error('It was not mined.')
  return explained
}

const argument = (explained: Explanation, name: string) =>
  explained.call?.values.find((candidate) => candidate.name === name)

test('a fill is explained by its order, and by everything that it moved', async () => {
  const explained = await explain(await fill(fillOf()))
  expect(explained).toMatchObject({ status: 'success', from: taker.toLowerCase(), created: null, refusal: null })
  expect(explained.call).toMatchObject({ contract: 'settlement', name: 'fill' })
  expect(argument(explained, 'order.premiumAmount')).toEqual({
    name: 'order.premiumAmount',
    unit: 'usd',
    value: 24_000_000n,
  })
  expect(explained.events.map(({ contract, name }) => `${contract} ${name}`)).toEqual([
    'settlement OrderFilled',
    'stablecoin Transfer',
    'core OptionsWritten',
    'stablecoin Transfer',
    'core TransferSingle',
  ])
  expect(explained.fee).toBeGreaterThan(explained.gasUsed)
})

test('a fill that came too late is refused as it was then, with its values', async () => {
  const explained = await explain(await fill(fillOf()))
  expect(explained.status).toBe('reverted')
  expect(explained.refusal).toMatchObject({
    code: 'nonce_used',
    errorName: 'NonceUsed',
    values: [{ name: 'maker' }, { name: 'nonce', value: 3n }],
  })
  expect(ranOutOfGas(explained)).toBe(false)
})

test('an obstacle since the same block is found too', async () => {
  const cancel = (nonce: bigint) => encodeFunctionData({ abi: ABI, functionName: 'cancelNonce', args: [nonce] })
  await dev.setAutomine(false)
  await dev.setIntervalMining({ interval: 0 })
  const nonce = await dev.getTransactionCount({ address: taker })
  const to = devnet.deployment.settlementAddress
  const call = { account: taker, chain: null, to, data: cancel(77n), gas: OUR_GAS }
  await dev.sendTransaction({ ...call, nonce })
  const second = await dev.sendTransaction({ ...call, nonce: nonce + 1 })
  expect(await explainTransaction(setup, second)).toMatchObject({
    status: 'waiting',
    call: { name: 'cancelNonce', values: [{ name: 'nonce', value: 77n }] },
  })
  await dev.mine({ blocks: 1 })
  await dev.setAutomine(true)
  expect((await explain(second)).refusal).toMatchObject({ code: 'nonce_used' })
})

test('an error of the stablecoin is explained in dollars', async () => {
  const data = encodeFunctionData({ abi: testUsdAbi, functionName: 'transfer', args: [SPENDER, 10n ** 12n] })
  const explained = await explain(await send(devnet.deployment.stablecoinAddress, data))
  expect(explained.call).toMatchObject({ contract: 'stablecoin', name: 'transfer' })
  expect(explained.refusal?.values).toContainEqual({ name: 'needed', unit: 'usd', value: 10n ** 12n })
})

test('a transaction that ran out of gas is distinct from one that was refused', async () => {
  const fresh = encodeFunctionData({ abi: ABI, functionName: 'cancelNonce', args: [2n ** 200n] })
  const explained = await explain(await fill(fresh, 30_000n))
  expect([explained.status, explained.refusal, ranOutOfGas(explained)]).toEqual(['reverted', null, true])
})

test('a contract that could not be created says why', async () => {
  const { coreAddress, settlementAddress } = devnet.deployment
  const { bytecode } = readArtifact('ServiceRFQSettlement')
  const data = encodeDeployData({ abi: ABI, bytecode, args: [coreAddress] })
  const explained = await explain(await send(null, data, 8_000_000n))
  expect(explained).toMatchObject({ to: null, call: null, refusal: { code: 'core_mismatch' } })
  expect(explained.refusal?.values).toContainEqual({ name: 'settlement', unit: 'plain', value: settlementAddress })
})

test('a call of another contract is read like one of ours where the function is the same', async () => {
  const explained = await explain(await send(SPENDER, approval(SPENDER)))
  expect(explained.call).toMatchObject({ contract: null, name: 'approve' })
  const foreign = encodeFunctionData({ abi: parseAbi(['function poke()']), functionName: 'poke' })
  expect((await explain(await send(SPENDER, foreign))).call).toBeNull()
  expect((await explain(await send(devnet.deployment.coreAddress, foreign))).refusal).toMatchObject({
    code: 'reverted',
    errorName: '',
  })
})

test('an owner’s call is explained with strikes, times and types', async () => {
  const args = [`0x${'22'.repeat(32)}`, 7n, `0x${'00'.repeat(20)}`, 6_000, 4_000_000_000n, 1] as const
  const hash = await dev.sendTransaction({
    account: devnet.accounts.deployer.address,
    chain: null,
    to: devnet.deployment.coreAddress,
    data: encodeFunctionData({ abi: serviceCoreAbi, functionName: 'createSeries', args }),
    gas: OUR_GAS,
  })
  const explained = await explain(hash)
  expect(explained.call?.values.map(({ unit }) => unit)).toEqual([
    'plain',
    'plain',
    'plain',
    'strike',
    'time',
    'optionType',
  ])
  expect(explained.events).toMatchObject([{ name: 'SeriesCreated' }])
})

test('a hash that the chain does not know is nothing', async () => {
  expect(await explainTransaction(setup, `0x${'00'.repeat(32)}`)).toBeNull()
  const { transport: _, ...withoutChain } = setup
  await expect(explainTransaction(withoutChain, `0x${'00'.repeat(32)}`)).rejects.toThrow('without a transport')
})
