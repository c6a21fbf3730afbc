import { decodeFunctionData, encodeAbiParameters, encodeEventTopics, toHex } from 'viem'
import { expect, test } from 'vitest'
import { hasApprovals, readApprovals, readPair, withdrawalCalls } from '../../src/client/approvals.ts'
import {
  quorumSignerAbi,
  serviceCoreAbi,
  serviceRfqSettlementAbi,
  testUsdAbi,
} from '../../src/protocol/contracts/abi.ts'
import { type Address, usd6 } from '../../src/protocol/domain/units.ts'
import { CORE, createFakeNode, type FakeNode, SETTLEMENT, STABLECOIN } from '../relay/adapters/chain/fake-node.ts'

const NOW = 1_800_000_000
const WALLET: Address = '0x14dC79964da2C08b23698B3D3cc7Ca32193d9955'
const [LIVE, LAPSED] = ['0x'.padEnd(42, '1'), '0x'.padEnd(42, '2')] as [Address, Address]
const PAIR = { settlementAddress: SETTLEMENT, coreAddress: CORE, stablecoinAddress: STABLECOIN }

/** A pair of contracts, and what a wallet has approved to it. */
function pairWith({
  core = 0n,
  settlement = 0n,
  inventory = false,
  keys = {} as Record<Address, number>,
} = {}): FakeNode {
  const node = createFakeNode(NOW)
  node.answers.set(`${SETTLEMENT}.core`, { value: CORE })
  node.answers.set(`${SETTLEMENT}.stablecoin`, { value: STABLECOIN })
  node.answers.set(`${STABLECOIN}.allowance`, ([owner, spender]) => ({
    value: owner === WALLET ? (spender === CORE ? core : settlement) : 0n,
  }))
  node.answers.set(`${CORE}.isApprovedForAll`, ([owner, operator]) => ({
    value: owner === WALLET && operator === SETTLEMENT && inventory,
  }))
  node.answers.set(`${SETTLEMENT}.signerUntil`, ([, key]) => ({ value: BigInt(keys[key as Address] ?? 0) }))
  node.logs = (params) => {
    const [{ address, fromBlock, topics }] = params as [{ address: Address; fromBlock: string; topics: string[] }]
    expect([address, fromBlock]).toEqual([SETTLEMENT, '0x0'])
    return Object.entries(keys).map(([signer, until], index) => {
      const own = encodeEventTopics({
        abi: serviceRfqSettlementAbi,
        eventName: 'SignerAuthorized',
        args: { maker: WALLET, signer: signer as Address },
      })
      expect(topics.slice(0, 2)).toEqual(own.slice(0, 2))
      return {
        address,
        topics: own,
        data: encodeAbiParameters([{ type: 'uint256' }], [BigInt(until)]),
        blockNumber: toHex(index),
        transactionHash: toHex(index, { size: 32 }),
        transactionIndex: '0x0',
        blockHash: toHex(index, { size: 32 }),
        logIndex: '0x0',
        removed: false,
      }
    })
  }
  return node
}

const read = (node: FakeNode) => readApprovals(node.transport, { pair: PAIR, wallet: WALLET })

test('a settlement contract names its core and its stablecoin; another address is none', async () => {
  const node = pairWith()
  expect(await readPair(node.transport, SETTLEMENT)).toEqual(PAIR)
  node.answers.set(`${SETTLEMENT}.core`, { raw: '0x' })
  expect(await readPair(node.transport, SETTLEMENT)).toBeNull()
  node.answers.set(`${SETTLEMENT}.core`, { reverts: null })
  expect(await readPair(node.transport, SETTLEMENT)).toBeNull()
  node.faults.push(new Error('the node is down'))
  await expect(readPair(node.transport, SETTLEMENT)).rejects.toThrow('the node is down')
})

test('a wallet that approved nothing has nothing to withdraw', async () => {
  const approvals = await read(pairWith({ keys: { [LAPSED]: NOW - 1 } }))
  expect(approvals).toEqual({ core: 0n, settlement: 0n, inventory: false, signers: [] })
  expect([hasApprovals(approvals), withdrawalCalls(PAIR, approvals)]).toEqual([false, []])
})

test.each([
  ['the allowance of the core', { core: 5n }],
  ['the allowance of the settlement', { settlement: 7n }],
  ['options', { inventory: true }],
  ['a key, to its last second', { keys: { [LIVE]: NOW, [LAPSED]: NOW - 1 } }],
])('%s alone is something to withdraw', async (_, given) => {
  const approvals = await read(pairWith(given))
  expect([hasApprovals(approvals), withdrawalCalls(PAIR, approvals).length]).toEqual([true, 1])
})

test('each approval has the call that withdraws it', async () => {
  const node = pairWith({ core: 5n, settlement: 7n, inventory: true, keys: { [LIVE]: NOW + 60 } })
  const approvals = await read(node)
  expect(approvals).toEqual({ core: usd6(5n), settlement: usd6(7n), inventory: true, signers: [LIVE] })
  const calls = withdrawalCalls(PAIR, approvals)
  const abis = {
    stablecoin: testUsdAbi,
    core: serviceCoreAbi,
    settlement: serviceRfqSettlementAbi,
    signer: quorumSignerAbi,
  }
  expect(calls.map(({ contract, to, data }) => [to, decodeFunctionData({ abi: abis[contract], data })])).toEqual([
    [STABLECOIN, { functionName: 'approve', args: [CORE, 0n] }],
    [STABLECOIN, { functionName: 'approve', args: [SETTLEMENT, 0n] }],
    [CORE, { functionName: 'setApprovalForAll', args: [SETTLEMENT, false] }],
    [SETTLEMENT, { functionName: 'revokeSigner', args: [LIVE] }],
  ])
})

test('a node that does not look through all blocks leaves the keys unknown, and nothing else', async () => {
  const node = pairWith({ core: 5n, keys: { [LIVE]: NOW } })
  node.methods.set('eth_getLogs', () => {
    throw new Error('query exceeds max block range')
  })
  const approvals = await read(node)
  expect(approvals).toEqual({ core: 5n, settlement: 0n, inventory: false, signers: null })
  expect(withdrawalCalls(PAIR, approvals).length).toBe(1)
})
