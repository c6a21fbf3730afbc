import fc from 'fast-check'
import { encodeAbiParameters, encodeEventTopics } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { serviceRfqSettlementAbi } from '../../../../src/protocol/contracts/abi.ts'
import type { Address, Hex } from '../../../../src/protocol/domain/units.ts'
import { createOrderEvents } from '../../../../src/relay/adapters/chain/order-events.ts'
import { createRpc } from '../../../../src/relay/adapters/chain/rpc.ts'
import type { BlockMark, OrderEvents } from '../../../../src/relay/core/ports/chain.ts'
import { CORE, createFakeNode, type FakeNode, SETTLEMENT } from './fake-node.ts'
import { nodesBehind } from './lagging-nodes.ts'

const MAKER: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

function filledEvent(nonce: bigint) {
  return {
    topics: encodeEventTopics({
      abi: serviceRfqSettlementAbi,
      eventName: 'OrderFilled',
      args: { maker: MAKER, taker: CORE, seriesId: 7n },
    }) as Hex[],
    data: encodeAbiParameters(
      [{ type: 'uint256' }, { type: 'uint256' }, { type: 'bool' }, { type: 'uint256' }],
      [10n, 5n, true, nonce],
    ),
  }
}

const cancelledEvent = (nonce: bigint) => ({
  topics: encodeEventTopics({
    abi: serviceRfqSettlementAbi,
    eventName: 'NonceCancelled',
    args: { maker: MAKER },
  }) as Hex[],
  data: encodeAbiParameters([{ type: 'uint256' }], [nonce]),
})

const manyCancelledEvent = (word: bigint, mask: bigint) => ({
  topics: encodeEventTopics({
    abi: serviceRfqSettlementAbi,
    eventName: 'NoncesCancelled',
    args: { maker: MAKER },
  }) as Hex[],
  data: encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [word, mask]),
})

describe('the events of orders', () => {
  let node: FakeNode
  let now: number
  let events: OrderEvents

  const open = (kept: BlockMark | null = null, overlapBlocks = 4n) => {
    const made = createOrderEvents({
      rpc: createRpc(node.transport, async () => {}),
      settlementAddress: SETTLEMENT,
      startBlock: 0n,
      cacheMs: 1_000,
      now: () => now,
      overlapBlocks,
    })
    made.resume(kept)
    return made
  }
  const mine = (count: number) => {
    for (let block = 0; block < count; block += 1) node.mine()
  }
  const read = async () => (await events.read('latest')).uses.get(MAKER.toLowerCase()) ?? []
  const countOf = (method: string) => node.requests.filter((request) => request.method === method).length

  beforeEach(() => {
    node = createFakeNode()
    node.unfinal = 2
    now = 1_800_000_000_000
    events = open()
  })

  it('tell which nonces were used, by what and where', async () => {
    node.mine(filledEvent(2n ** 52n + 3n))
    node.mine(cancelledEvent(300n), manyCancelledEvent(2n, 5n))
    const fill = { taker: CORE, seriesId: '7', optionAmount: 10n, premiumAmount: 5n, makerSelling: true }
    expect(await read()).toMatchObject([
      { maker: MAKER, word: 2n ** 44n, mask: 8n, fill, blockNumber: 1 },
      { word: 1n, mask: 2n ** 44n, fill: null, blockNumber: 2 },
      { word: 2n, mask: 5n, fill: null, blockNumber: 2 },
    ])
  })

  it('are read to a block that is named by its hash, with the last final one', async () => {
    mine(9)
    const { head, readTo, final } = await events.read('latest')
    expect([head.block, readTo?.block, final?.block]).toEqual([9, 9, 7])
    expect(readTo?.hash).toMatch(/^0x[0-9a-f]{64}$/)
  })

  it('that a reorganisation drops are gone with the next read', async () => {
    mine(3)
    node.mine(filledEvent(1n))
    expect(await read()).toHaveLength(1)
    node.drop(1)
    mine(2)
    expect(await read()).toEqual([])
  })

  it('are read once for all that ask at the same time, whatever the number of orders, and not again within a moment', async () => {
    mine(20)
    await events.read('latest')
    node.requests.length = 0
    await Promise.all(Array.from({ length: 50 }, () => events.read('latest')))
    // One read runs, and one more for all that came while it ran.
    expect(countOf('eth_getLogs')).toBeLessThanOrEqual(2)
    node.requests.length = 0
    await events.read('cached')
    expect(countOf('eth_getLogs')).toBe(0)
    now += 1_000
    await events.read('cached')
    expect(countOf('eth_getLogs')).toBe(1)
  })

  it('go on from a checkpoint that stays behind what was kept', async () => {
    mine(3)
    await events.read('latest')
    mine(37)
    await events.read('latest')
    expect(await events.advance(30)).toEqual({ block: 26, hash: expect.any(String) })
    expect(events.advancedTo()).toBe(30)
    const kept = await events.advance(38)
    node.requests.length = 0
    node.mine(filledEvent(1n))
    events = open(kept)
    expect(await read()).toHaveLength(1)
    const asked = node.requests.find(({ method }) => method === 'eth_getLogs')
    expect(Number((asked?.params[0] as { fromBlock: Hex } | undefined)?.fromBlock)).toBe((kept?.block ?? 0) + 1)
  })

  it('begin with what is recent where nothing was kept, and on another chain', async () => {
    mine(5)
    node.mine(filledEvent(1n))
    mine(40)
    node.mine(filledEvent(2n))
    expect(await read()).toHaveLength(1)
    events = open({ block: 3, hash: `0x${'ee'.repeat(32)}` })
    expect(await read()).toMatchObject([{ mask: 4n }])
  })

  it('fail as a chain that cannot be read where the node gives none', async () => {
    node.methods.set('eth_getLogs', () => {
      throw new Error('no logs here')
    })
    await expect(events.read('latest')).rejects.toMatchObject({ code: 'chain_unavailable' })
  })
})

describe('the events of orders behind an address of three nodes that disagree', () => {
  it('are all announced in the end, and those that a reorganisation has dropped are not, restarts included', async () => {
    const step = fc.record({
      drops: fc.nat({ max: 3 }),
      blocks: fc.array(fc.boolean(), { maxLength: 6 }),
      lags: fc.tuple(fc.nat({ max: 6 }), fc.nat({ max: 6 }), fc.nat({ max: 6 })),
      restarts: fc.boolean(),
    })
    const scene = fc.record({
      steps: fc.array(step, { minLength: 1, maxLength: 12 }),
      unfinal: fc.nat({ max: 3 }),
      overlap: fc.constantFrom(1n, 2n, 5n),
    })
    await fc.assert(
      fc.asyncProperty(scene, async ({ steps, unfinal, overlap }) => {
        const node = createFakeNode()
        node.unfinal = unfinal
        for (let block = 0; block < 10; block += 1) node.mine()
        let lags = [0]
        let turn = 0
        let kept: BlockMark | null = null
        const open = () => {
          const made = createOrderEvents({
            rpc: createRpc(
              nodesBehind(node, () => lags[turn++ % lags.length] as number),
              async () => {},
            ),
            settlementAddress: SETTLEMENT,
            startBlock: 0n,
            cacheMs: 1_000,
            now: () => 0,
            overlapBlocks: overlap,
          })
          made.resume(kept)
          return made
        }
        // As the order watch does: what is final is kept for good, what is not only as the newest read has it.
        const final = new Set<number>()
        let recent: number[] = []
        const look = async (events: OrderEvents) => {
          const read = await events.read('latest')
          const uses = read.uses.get(MAKER.toLowerCase()) ?? []
          const isFinal = ({ blockNumber }: { blockNumber: number }) => blockNumber <= (read.final?.block ?? -1)
          for (const use of uses.filter(isFinal)) final.add(use.blockNumber)
          recent = uses.map(({ blockNumber }) => blockNumber)
          if (read.final !== null) kept = (await events.advance(read.final.block)) ?? kept
        }
        let events = open()
        await look(events)
        const filled = new Set<number>()
        for (const { drops, blocks, lags: next, restarts } of steps) {
          const dropped = Math.min(drops, unfinal)
          if (dropped > 0) node.drop(dropped)
          for (const block of filled) if (block > node.head()) filled.delete(block)
          for (let block = 0; block < dropped; block += 1) node.mine()
          for (const isFill of blocks) {
            node.mine(...(isFill ? [filledEvent(BigInt(node.head()))] : []))
            if (isFill) filled.add(node.head())
          }
          lags = next
          if (restarts) events = open()
          await look(events).catch((fault: unknown) => expect(fault).toMatchObject({ code: 'chain_unavailable' }))
        }
        lags = [0]
        await look(events)
        expect([...new Set([...final, ...recent])].toSorted((a, b) => a - b)).toEqual([...filled])
      }),
      { numRuns: 300 },
    )
  })
})
