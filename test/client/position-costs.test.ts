import {
  custom,
  type EIP1193RequestFn,
  encodeAbiParameters,
  encodeEventTopics,
  hexToBigInt,
  numberToHex,
  pad,
  zeroHash,
} from 'viem'
import { describe, expect, test } from 'vitest'
import { readCostedPositions } from '../../src/client/position-costs.ts'
import { createWallet } from '../../src/client/wallet.ts'
import { serviceRfqSettlementAbi, testUsdAbi } from '../../src/protocol/contracts/abi.ts'
import type { Address } from '../../src/protocol/domain/units.ts'

const WALLET: Address = '0x1111111111111111111111111111111111111111'
const MAKER: Address = '0x2222222222222222222222222222222222222222'
const CORE: Address = '0x3333333333333333333333333333333333333333'
const SETTLEMENT: Address = '0x4444444444444444444444444444444444444444'
const STABLECOIN: Address = '0x5555555555555555555555555555555555555555'
const HEAD = 1_000_000n

/** A node that holds one fill, at `filledAt`: 100 options for $10 and a fee, and gives at most `most` blocks at a time. */
function nodeWith({ filledAt, most, fee = 0n }: { filledAt: bigint; most: bigint; fee?: bigint }) {
  const spans: bigint[] = []
  const at = { blockNumber: numberToHex(filledAt), transactionHash: zeroHash }
  const filled = {
    ...at,
    logIndex: '0x0',
    address: SETTLEMENT,
    topics: encodeEventTopics({
      abi: serviceRfqSettlementAbi,
      eventName: 'OrderFilled',
      args: { maker: MAKER, taker: WALLET, seriesId: 7n },
    }),
    data: encodeAbiParameters(
      [{ type: 'uint256' }, { type: 'uint256' }, { type: 'bool' }, { type: 'uint256' }],
      [100n, 10_000_000n, true, 0n],
    ),
  }
  const paid = {
    ...at,
    logIndex: '0x1',
    address: STABLECOIN,
    topics: encodeEventTopics({ abi: testUsdAbi, eventName: 'Transfer', args: { from: WALLET, to: MAKER } }),
    data: numberToHex(10_000_000n + fee, { size: 32 }),
  }
  const request = async ({ method, params }: { method: string; params: unknown }) => {
    if (method === 'eth_blockNumber') return numberToHex(HEAD)
    // The only call of a contract itself asks the core for its stablecoin.
    if (method === 'eth_call')
      return (params as [{ to?: string }])[0].to === undefined ? balances(100n, 0n) : pad(STABLECOIN)
    const [{ fromBlock, toBlock, topics }] = params as [
      { fromBlock: `0x${string}`; toBlock: `0x${string}`; topics: unknown[] },
    ]
    const [from, to] = [hexToBigInt(fromBlock), hexToBigInt(toBlock)]
    const asksForTaker = topics.length === 3 && topics[1] === null
    if (asksForTaker) spans.push(to - from + 1n)
    if (to - from + 1n > most) throw new Error('query exceeds max block range')
    return asksForTaker && from <= filledAt && filledAt <= to ? [filled, paid] : []
  }
  const transport = custom({ request: request as EIP1193RequestFn }, { retryCount: 0 })
  const setup = { chainId: 1, coreAddress: CORE, settlementAddress: SETTLEMENT, transport }
  return { spans, wallet: createWallet({ account: WALLET, setup }) }
}

/** What a bundle of calls returns: each result with whether it succeeded. */
const balances = (...amounts: bigint[]) =>
  encodeAbiParameters([{ type: 'tuple[]', components: [{ type: 'bool' }, { type: 'bytes' }] }], [
    amounts.map((amount) => [true, numberToHex(amount, { size: 32 })]),
  ] as never)

describe('the cost of a position', () => {
  test('is read from the newest blocks and no further than it has to be', async () => {
    const { wallet, spans } = nodeWith({ filledAt: HEAD - 5n, most: HEAD * 2n })
    expect(await readCostedPositions(wallet, ['7'])).toEqual([
      { seriesId: '7', long: 100n, short: 0n, cost: 10_000_000n },
    ])
    expect(spans).toEqual([10_000n])
  })

  test('has the fees of a partner and a relayer, which only the transfers of the stablecoin show', async () => {
    const { wallet } = nodeWith({ filledAt: HEAD, most: HEAD * 2n, fee: 25_000n })
    expect(await readCostedPositions(wallet, ['7'])).toMatchObject([{ cost: 10_025_000n }])
  })

  test('is found in the first block of a chain, in ever longer spans', async () => {
    const { wallet, spans } = nodeWith({ filledAt: 0n, most: HEAD * 2n })
    expect(await readCostedPositions(wallet, ['7'])).toMatchObject([{ cost: 10_000_000n }])
    expect(spans).toHaveLength(7)
  })

  test('is found on a node that gives few blocks at a time', async () => {
    const { wallet, spans } = nodeWith({ filledAt: HEAD - 20_000n, most: 1_000n })
    expect(await readCostedPositions(wallet, ['7'])).toMatchObject([{ cost: 10_000_000n }])
    expect(spans.length).toBeLessThan(40)
  })

  test('is not known where the node would have to be asked too often, which it is not', async () => {
    const { wallet, spans } = nodeWith({ filledAt: 0n, most: 1_000n })
    expect(await readCostedPositions(wallet, ['7'])).toMatchObject([{ long: 100n, cost: 'earlier' }])
    expect(spans).toHaveLength(64)
  })

  test('is not known where the node gives no events at all', async () => {
    const { wallet, spans } = nodeWith({ filledAt: 0n, most: 0n })
    expect(await readCostedPositions(wallet, ['7'])).toMatchObject([{ long: 100n, cost: 'earlier' }])
    expect(spans.length).toBeLessThan(10)
  })
})
