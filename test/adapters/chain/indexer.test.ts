import { HttpRequestError } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Checkpoint, createSeriesIndexer } from '../../../src/adapters/chain/indexer.ts'
import { createRpc } from '../../../src/adapters/chain/rpc.ts'
import { seriesIdOf } from '../../../src/domain/series.ts'
import type { StrikeBps } from '../../../src/domain/units.ts'
import type { SeriesIndex } from '../../../src/relay/ports/chain.ts'
import { CORE, createdEvent, createFakeNode, type FakeNode, haltEvent, settledEvent, voidedEvent } from './fake-node.ts'
import { strikesOf, termsAt } from './terms.ts'

describe('the series indexer', () => {
  let node: FakeNode
  let index: SeriesIndex
  const open = (options: Partial<Parameters<typeof createSeriesIndexer>[0]> = {}) =>
    createSeriesIndexer({
      rpc: createRpc(node.transport, async () => {}),
      coreAddress: CORE,
      startBlock: 0n,
      overlapBlocks: 0n,
      ...options,
    })
  const strikes = async () => strikesOf(await index.list())
  const ranges = () =>
    node.requests
      .filter(({ method }) => method === 'eth_getLogs')
      .map(({ params }) => params[0] as { fromBlock: string; toBlock: string })
      .map(({ fromBlock, toBlock }) => [Number(fromBlock), Number(toBlock)])

  beforeEach(() => {
    node = createFakeNode()
    index = open()
  })

  it('knows nothing before the first refresh, and every series after it', async () => {
    node.mine(createdEvent(termsAt(4_500)), createdEvent(termsAt(4_501)))
    expect(await index.list()).toEqual([])
    await index.refresh()
    expect(await index.find(seriesIdOf(termsAt(4_501)))).toEqual({
      ...termsAt(4_501),
      seriesId: seriesIdOf(termsAt(4_501)),
      halted: false,
      resolutionBps: null,
    })
    expect(await strikes()).toEqual([4_500, 4_501])
    expect(await index.find('1')).toBeNull()
  })

  /** A call spread up to a strike. */
  const spreadTo = (strike: number) => {
    const legs = [4_000, strike].map((strikeBps, i) => ({
      optionType: 'call' as const,
      strikeBps: strikeBps as StrikeBps,
      quantity: i === 0 ? 1 : -1,
    }))
    const { conditionId, yesTokenId, expiry } = termsAt(4_000)
    return { conditionId, yesTokenId, expiry, legs }
  }

  it('has packages with their legs, also one that it is asked for by its id', async () => {
    const terms = spreadTo(6_000)
    node.mine(createdEvent(termsAt(4_000)), createdEvent(terms), settledEvent(terms, 59))
    await index.refresh()
    expect(await index.find(seriesIdOf(terms))).toMatchObject({ ...terms, halted: false, resolutionBps: 59 })
    expect(await index.list()).toHaveLength(2)
  })

  it('keeps the newest packages, which anyone registers, and every call and put', async () => {
    index = open({ maxPackages: 2 })
    node.mine(...[5_000, 6_000, 7_000].map((strike) => createdEvent(spreadTo(strike))), createdEvent(termsAt(4_000)))
    await index.refresh()
    const known = async () => (await index.list()).map(({ seriesId }) => seriesId)
    expect(await known()).toEqual([spreadTo(6_000), spreadTo(7_000), termsAt(4_000)].map(seriesIdOf))
    node.mine(createdEvent(spreadTo(8_000)), settledEvent(spreadTo(5_000), 59))
    await index.refresh()
    expect(await known()).toEqual([spreadTo(7_000), termsAt(4_000), spreadTo(8_000)].map(seriesIdOf))
    expect(await index.find(seriesIdOf(spreadTo(5_000)))).toBeNull()
    const { expiry } = termsAt(4_000)
    const price = { resolutionBps: 59, settled: true, finalAt: 77n, halted: false, vetoed: false, payoff: 90_000 }
    const most = { maxPayoff: 100_000, openInterest: 0n, openInterestCap: 2n ** 80n - 1n }
    const value = { expiry: BigInt(expiry), strikeBps: 0, optionType: 2, ...price, ...most }
    node.answers.set(`${CORE}.getSeries`, { value })
    expect(await index.lookUp(seriesIdOf(spreadTo(5_000)))).toMatchObject({ ...spreadTo(5_000), resolutionBps: 59 })
  })

  it('follows settlements and halts, in the order of the chain', async () => {
    const [a, b] = [termsAt(4_000), termsAt(5_000)]
    node.mine(createdEvent(a), createdEvent(b), haltEvent(a, true), haltEvent(b, true), haltEvent(b, false))
    node.mine(settledEvent(a, 59))
    await index.refresh()
    expect(await index.list()).toMatchObject([
      { strikeBps: 4_000, halted: true, resolutionBps: 59 },
      { strikeBps: 5_000, halted: false, resolutionBps: null },
    ])
  })

  it('follows a price that was taken back, and the one that came after it', async () => {
    const terms = termsAt(4_000)
    node.mine(createdEvent(terms), settledEvent(terms, 59))
    await index.refresh()
    expect(await index.list()).toMatchObject([{ resolutionBps: 59, finalAt: terms.expiry }])
    node.mine(voidedEvent(terms, 59))
    await index.refresh()
    const [voided] = await index.list()
    expect(voided).toMatchObject({ resolutionBps: null, vetoed: true })
    expect(voided).not.toHaveProperty('finalAt')
    node.mine(settledEvent(terms, 40))
    await index.refresh()
    expect(await index.list()).toMatchObject([{ resolutionBps: 40, finalAt: terms.expiry, vetoed: true }])
  })

  it('ignores events of a series that was registered before the first block it reads', async () => {
    node.mine(createdEvent(termsAt(4_000)))
    node.mine(settledEvent(termsAt(4_000), 10))
    index = open({ startBlock: 2n })
    await index.refresh()
    expect(await index.list()).toEqual([])
  })

  it('reads long histories in ranges that leave out and repeat no block', async () => {
    for (let block = 1; block <= 10; block += 1) node.mine(createdEvent(termsAt(1_000 + block)))
    index = open({ startBlock: 2n, chunkBlocks: 4n })
    await index.refresh()
    expect(ranges()).toEqual([
      [2, 5],
      [6, 9],
      [10, 10],
    ])
    expect(await strikes()).toEqual([1_002, 1_003, 1_004, 1_005, 1_006, 1_007, 1_008, 1_009, 1_010])
  })

  it('reads on from the last block that was final', async () => {
    for (let block = 1; block <= 5; block += 1) node.mine(createdEvent(termsAt(1_000 + block)))
    await index.refresh()
    node.mine(createdEvent(termsAt(1_006)))
    node.requests.length = 0
    await index.refresh()
    expect(ranges()).toEqual([[4, 6]])
    expect(await strikes()).toEqual([1_001, 1_002, 1_003, 1_004, 1_005, 1_006])
  })

  it('forgets what a reorganisation dropped from blocks that were not final', async () => {
    const [kept, dropped] = [termsAt(1_001), termsAt(1_002)]
    node.mine(createdEvent(kept))
    node.mine()
    node.mine(settledEvent(kept, 60), haltEvent(kept, true))
    node.mine(createdEvent(dropped))
    await index.refresh()
    expect(await index.list()).toMatchObject([{ resolutionBps: 60, halted: true }, { strikeBps: 1_002 }])
    node.drop(2)
    node.mine()
    node.mine()
    await index.refresh()
    expect(await index.list()).toMatchObject([{ strikeBps: 1_001, resolutionBps: null, halted: false }])
  })

  it('starts over when even its last final block is not on the chain any more', async () => {
    for (let block = 1; block <= 6; block += 1) node.mine(createdEvent(termsAt(1_000 + block)))
    await index.refresh()
    node.drop(5)
    for (let block = 1; block <= 8; block += 1) node.mine(createdEvent(termsAt(2_000 + block)))
    await index.refresh()
    expect(await strikes()).toEqual([1_001, 2_001, 2_002, 2_003, 2_004, 2_005, 2_006, 2_007, 2_008])
  })

  it('starts over on a chain that began anew and is shorter', async () => {
    for (let block = 1; block <= 6; block += 1) node.mine(createdEvent(termsAt(1_000 + block)))
    await index.refresh()
    node.drop(7)
    node.mine()
    node.mine(createdEvent(termsAt(3_000)))
    await index.refresh()
    expect(await strikes()).toEqual([3_000])
  })

  it('reads everything each time from a node that does not know what is final', async () => {
    node.unfinal = null
    node.mine(createdEvent(termsAt(1_001)))
    await index.refresh()
    node.mine(createdEvent(termsAt(1_002)))
    await index.refresh()
    expect(ranges()).toEqual([
      [0, 1],
      [0, 2],
    ])
    expect(await strikes()).toEqual([1_001, 1_002])
  })

  it('asks for fewer blocks at a time where the node refuses so many', async () => {
    for (let block = 1; block <= 20; block += 1) node.mine(createdEvent(termsAt(1_000 + block)))
    const getLogs = (params: unknown[]) => {
      const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string }
      const code = -32_005
      if (Number(toBlock) - Number(fromBlock) >= 6) throw Object.assign(new Error('too many blocks'), { code })
      return node.logs(params)
    }
    node.methods.set('eth_getLogs', getLogs)
    await index.refresh()
    expect(ranges()).toEqual([
      [0, 20],
      [0, 9],
      [0, 4],
      [5, 9],
      [10, 14],
      [15, 19],
      [20, 20],
    ])
    expect(await strikes()).toHaveLength(20)
  })

  it('gives up where the node refuses even a single block', async () => {
    node.mine(createdEvent(termsAt(1_001)))
    node.methods.set('eth_getLogs', () => {
      throw Object.assign(new Error('no logs here'), { code: -32_601 })
    })
    await expect(index.refresh()).rejects.toMatchObject({ code: 'chain_unavailable' })
    const attempts = [0, 0]
    expect(ranges()).toEqual([[0, 1], attempts, attempts, attempts])
  })

  it('takes thousands of series in one pass', async () => {
    for (let block = 0; block < 10; block += 1) {
      node.mine(...Array.from({ length: 500 }, (_, i) => createdEvent(termsAt(1 + block * 500 + i))))
    }
    await index.refresh()
    expect(await index.list()).toHaveLength(5_000)
    expect(ranges()).toHaveLength(1)
  })

  describe('with a keeper', () => {
    let saved: Checkpoint[]
    const keeper = {
      load: async () => saved.at(-1) ?? null,
      save: async (checkpoint: Checkpoint) => void saved.push(checkpoint),
    }
    beforeEach(() => {
      saved = []
      index = open({ keeper })
    })

    it('goes on after a restart from the last final block', async () => {
      for (let block = 1; block <= 6; block += 1) node.mine(createdEvent(termsAt(1_000 + block)))
      await index.refresh()
      node.mine(settledEvent(termsAt(1_001), 40))
      node.requests.length = 0
      index = open({ keeper })
      await index.refresh()
      expect(ranges()).toEqual([[5, 7]])
      expect(await strikes()).toEqual([1_001, 1_002, 1_003, 1_004, 1_005, 1_006])
      expect(await index.find(seriesIdOf(termsAt(1_001)))).toMatchObject({ resolutionBps: 40 })
    })

    it('starts over after a restart when the chain is another one by now', async () => {
      for (let block = 1; block <= 6; block += 1) node.mine(createdEvent(termsAt(1_000 + block)))
      await index.refresh()
      node.drop(6)
      for (let block = 1; block <= 8; block += 1) node.mine(createdEvent(termsAt(2_000 + block)))
      index = open({ keeper })
      await index.refresh()
      expect((await strikes())[0]).toBe(2_001)
      expect(await index.list()).toHaveLength(8)
    })

    it('keeps a checkpoint only when there is news up to a final block', async () => {
      node.mine(createdEvent(termsAt(1_001)))
      await index.refresh()
      expect(saved).toEqual([])
      for (let block = 0; block < 3; block += 1) node.mine()
      await index.refresh()
      await index.refresh()
      node.mine()
      await index.refresh()
      expect(saved.map(({ block, series }) => [block, series.size])).toEqual([[2n, 1]])
    })
  })

  it('keeps what it knows when a refresh fails, and catches up with the next', async () => {
    node.mine(createdEvent(termsAt(1_001)))
    await index.refresh()
    node.mine(createdEvent(termsAt(1_002)))
    node.faults = Array.from({ length: 9 }, () => new HttpRequestError({ url: 'http://node', details: 'down' }))
    await expect(index.refresh()).rejects.toMatchObject({ code: 'chain_unavailable' })
    expect(await strikes()).toEqual([1_001])
    node.faults = []
    await index.refresh()
    expect(await strikes()).toEqual([1_001, 1_002])
  })

  it('reads once for all who refresh at the same moment, and again for those who come later', async () => {
    const running = index.refresh()
    node.mine(createdEvent(termsAt(1_001)))
    const waiting = [index.refresh(), index.refresh()]
    await Promise.all([running, ...waiting])
    expect(ranges()).toHaveLength(2)
    expect(await strikes()).toEqual([1_001])
  })
})
