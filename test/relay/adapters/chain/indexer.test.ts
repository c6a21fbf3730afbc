import { HttpRequestError } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { seriesIdOf } from '../../../../src/protocol/domain/series.ts'
import type { StrikeBps } from '../../../../src/protocol/domain/units.ts'
import { type Checkpoint, createSeriesIndexer } from '../../../../src/relay/adapters/chain/indexer.ts'
import { createRpc } from '../../../../src/relay/adapters/chain/rpc.ts'
import type { SeriesIndex } from '../../../../src/relay/core/ports/chain.ts'
import {
  appointedEvent,
  CORE,
  createdEvent,
  createFakeNode,
  type FakeNode,
  haltEvent,
  type Request,
  revokedEvent,
  settledEvent,
  voidedEvent,
  writtenEvent,
} from './fake-node.ts'
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

  const known = async () => (await index.list()).map(({ seriesId }) => seriesId)
  const idOf = (strike: number) => seriesIdOf(spreadTo(strike))
  const packages = (...strikes: number[]) => strikes.map((strike) => createdEvent(spreadTo(strike)))

  /** By seriesId: how many options of a package are open; one can pay $0.20. */
  const openInterest = new Map<string, bigint>()
  const answerState = ([seriesId]: readonly unknown[]) => {
    const price = { resolutionBps: 59, settled: true, finalAt: 77n, halted: false, vetoed: false, payoff: 90_000 }
    const most = {
      maxPayoff: 200_000,
      openInterest: openInterest.get(`${seriesId}`) ?? 0n,
      openInterestCap: 2n ** 68n - 1n,
      tradingEndsAt: 0n,
      fixing: 1,
    }
    return { value: { expiry: BigInt(termsAt(4_000).expiry), strikeBps: 0, optionType: 2, ...price, ...most } }
  }

  it('keeps the newest packages that no one holds, which anyone registers, and every call and put', async () => {
    node.answers.set(`${CORE}.getSeries`, answerState)
    index = open({ maxPackages: 2 })
    node.mine(...packages(5_000, 6_000, 7_000), createdEvent(termsAt(4_000)))
    await index.refresh()
    expect(await known()).toEqual([idOf(6_000), idOf(7_000), seriesIdOf(termsAt(4_000))])
    node.mine(...packages(8_000), settledEvent(spreadTo(5_000), 59))
    await index.refresh()
    expect(await known()).toEqual([idOf(7_000), seriesIdOf(termsAt(4_000)), idOf(8_000)])
    expect(await index.find(idOf(5_000))).toBeNull()
    expect(await index.lookUp(idOf(5_000))).toMatchObject({ ...spreadTo(5_000), resolutionBps: 59 })
  })

  describe('with held packages', () => {
    beforeEach(() => {
      openInterest.clear()
      node.answers.set(`${CORE}.getSeries`, answerState)
      index = open({ maxPackages: 2, maxHeld: 3 })
    })

    it('keeps all, however many strangers register after them, also in the next process', async () => {
      openInterest.set(idOf(5_000), 1n)
      node.mine(...packages(5_000))
      for (let strike = 6_000; strike < 6_030; strike += 1) {
        node.mine(...packages(strike))
        await index.refresh()
      }
      expect(await known()).toEqual([idOf(5_000), idOf(6_028), idOf(6_029)])
      expect(await index.held(await known())).toEqual(new Set([idOf(5_000)]))
      let checkpoint: Checkpoint | null = null
      const keeper = {
        load: async () => checkpoint,
        save: async (saved: Checkpoint) => {
          checkpoint = saved
        },
      }
      for (let start = 1; start <= 2; start += 1) {
        index = open({ maxPackages: 2, maxHeld: 3, keeper })
        await index.refresh()
        node.mine(...packages(7_000 + start))
        await index.refresh()
        expect(await known()).toContain(idOf(5_000))
        expect(await known()).toHaveLength(3)
      }
    })

    it('keeps one from the block on in which it is written, and finds one again that it had let go', async () => {
      const minePast = async () => {
        for (let i = 0; i < 4; i += 1) node.mine()
        await index.refresh()
      }
      node.mine(...packages(5_000, 6_000))
      await minePast()
      node.mine(writtenEvent(spreadTo(5_000), 1n, 200_000n))
      await minePast()
      node.mine(...packages(7_000, 8_000, 8_001))
      await minePast()
      expect(await known()).toEqual([idOf(5_000), idOf(8_000), idOf(8_001)])
      node.mine(writtenEvent(spreadTo(6_000), 1n, 200_000n))
      await index.refresh()
      expect(await index.find(idOf(6_000))).toMatchObject(spreadTo(6_000))
      node.mine(...packages(8_002, 8_003))
      await index.refresh()
      expect((await known()).toSorted()).toEqual([5_000, 6_000, 8_002, 8_003].map(idOf).toSorted())
    })

    it('lets go of one that a dropped block has written', async () => {
      node.mine(...packages(5_000, 6_000, 7_000))
      node.mine()
      node.mine(writtenEvent(spreadTo(6_000), 1n, 200_000n))
      node.drop(1)
      node.mine()
      await index.refresh()
      node.mine(...packages(8_000))
      await index.refresh()
      expect(await known()).toEqual([idOf(7_000), idOf(8_000)])
    })

    it('keeps those with the most collateral, where even they are too many', async () => {
      for (const [strike, amount] of [
        [5_000, 9n],
        [5_001, 1n],
        [5_002, 3n],
        [5_003, 2n],
      ] as const)
        openInterest.set(idOf(strike), amount)
      node.mine(...packages(5_000, 5_001, 5_002, 5_003, 6_000, 6_001))
      await index.refresh()
      node.mine(...packages(6_002, 6_003))
      await index.refresh()
      expect(await known()).toEqual([5_000, 5_002, 5_003, 6_002, 6_003].map(idOf))
    })

    it('drops none while the node cannot tell, unless they are more than any others', async () => {
      node.answers.set(`${CORE}.getSeries`, { reverts: null })
      node.mine(...packages(5_000, 5_001, 5_002, 5_003, 5_004))
      await index.refresh()
      expect(await known()).toHaveLength(5)
      node.mine(...packages(5_005, 5_006))
      await index.refresh()
      expect(await known()).toEqual([5_002, 5_003, 5_004, 5_005, 5_006].map(idOf))
      openInterest.set(idOf(5_003), 1n)
      node.answers.set(`${CORE}.getSeries`, answerState)
      await index.refresh()
      expect(await known()).toEqual([5_003, 5_005, 5_006].map(idOf))
    })

    it('learns once a day which are not held any more, and which it had let go are', async () => {
      let now = 0
      index = open({ maxPackages: 2, maxHeld: 3, now: () => now })
      openInterest.set(idOf(5_000), 1n)
      node.mine(...packages(5_000, 5_001, 5_002, 5_003))
      for (let i = 0; i < 4; i += 1) node.mine()
      await index.refresh()
      expect(await known()).toEqual([5_000, 5_002, 5_003].map(idOf))
      openInterest.clear()
      openInterest.set(idOf(5_001), 1n)
      now += 86_400_000
      await index.refresh()
      await expect.poll(() => index.held([5_000, 5_001].map(idOf))).toEqual(new Set([idOf(5_001)]))
      await index.refresh()
      expect((await known()).toSorted()).toEqual([5_001, 5_002, 5_003].map(idOf).toSorted())
    })

    it('reads few: those that would go, and each once', async () => {
      const calls = () => node.requests.filter(({ method }) => method === 'eth_call').length
      node.mine(...packages(5_000, 5_001))
      await index.refresh()
      expect(calls()).toBe(0)
      openInterest.set(idOf(5_000), 1n)
      node.mine(...packages(5_002))
      await index.refresh()
      expect(calls()).toBe(1)
      for (let i = 0; i < 5; i += 1) await index.refresh()
      expect(calls()).toBe(1)
    })
  })

  it('follows settlements and halts, in the order of the chain', async () => {
    const [a, b] = [termsAt(4_000), termsAt(5_000)]
    node.mine(createdEvent(a), createdEvent(b), haltEvent(a, true), haltEvent(b, true), haltEvent(b, false))
    node.mine(settledEvent(a, 59))
    await index.refresh()
    expect(await index.list()).toMatchObject([
      { strikeBps: 4_000, halted: true, resolutionBps: 59 },
      { strikeBps: 5_000, halted: false, resolutionBps: 59 },
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

  describe('the one price of a market and expiry', () => {
    const [call, put, spread] = [termsAt(4_000), termsAt(5_001), spreadTo(6_000)]
    const later = { ...call, expiry: call.expiry + 86_400 }
    const elsewhere = { ...call, yesTokenId: '987654321' }
    const siblings = [call, put, spread]
    /** Final at the time of the next block. */
    const now = () => 1_800_000_000 + node.head() + 1
    const pricesOf = async () =>
      Promise.all(
        [...siblings, later, elsewhere].map(async (terms) => (await index.find(seriesIdOf(terms)))?.resolutionBps),
      )
    const mineOn = async (count: number) => {
      for (let block = 0; block < count; block += 1) node.mine()
      await index.refresh()
    }

    beforeEach(() => node.mine(...[...siblings, later, elsewhere].map(createdEvent)))

    it.each(siblings.map((terms) => [terms]))(
      'is that of all its series and packages, whichever the event names',
      async (named) => {
        node.mine(settledEvent(named, 59))
        await index.refresh()
        expect(await pricesOf()).toEqual([59, 59, 59, null, null])
        expect((await index.list()).map(({ finalAt }) => finalAt)).toEqual([
          ...siblings.map(() => call.expiry),
          undefined,
          undefined,
        ])
      },
    )

    it.each(siblings.map((terms) => [terms]))('is taken back from all of them by a veto', async (named) => {
      node.mine(settledEvent(call, 59), settledEvent(later, 40))
      node.mine(voidedEvent(named, 59))
      await index.refresh()
      expect(await pricesOf()).toEqual([null, null, null, 40, null])
      const vetoed = (await index.list()).filter((series) => series.vetoed === true)
      expect(vetoed.map(({ seriesId }) => seriesId)).toEqual(siblings.map(seriesIdOf))
    })

    it('is gone again when its block is, and back when the block of its veto is', async () => {
      node.mine(settledEvent(put, 59))
      node.mine(voidedEvent(spread, 59))
      await index.refresh()
      expect(await pricesOf()).toEqual([null, null, null, null, null])
      node.drop(1)
      node.mine()
      await index.refresh()
      expect(await pricesOf()).toEqual([59, 59, 59, null, null])
      node.drop(2)
      node.mine()
      node.mine()
      await index.refresh()
      expect(await pricesOf()).toEqual([null, null, null, null, null])
      expect(await index.find(seriesIdOf(call))).not.toHaveProperty('vetoed')
    })

    it.each([0, 8])('is void where its signer is revoked before it is final, also %i blocks later', async (blocks) => {
      node.mine(settledEvent(call, 59), settledEvent(later, 40, now()))
      node.mine(settledEvent(elsewhere, 30, now() + blocks + 1))
      await mineOn(blocks)
      node.mine(revokedEvent())
      await mineOn(blocks)
      expect(await pricesOf()).toEqual([null, null, null, 40, 30])
      expect(await index.find(seriesIdOf(put))).toEqual({
        ...put,
        seriesId: seriesIdOf(put),
        halted: false,
        resolutionBps: null,
      })
      node.mine(appointedEvent(), settledEvent(put, 58))
      await mineOn(blocks)
      expect(await pricesOf()).toEqual([58, 58, 58, 40, 30])
    })

    it('is back when the block of the revocation is gone', async () => {
      node.mine(settledEvent(call, 59))
      node.mine(revokedEvent())
      await index.refresh()
      expect(await pricesOf()).toEqual([null, null, null, null, null])
      node.drop(1)
      await mineOn(1)
      expect(await pricesOf()).toEqual([59, 59, 59, null, null])
    })

    it.each([0, 8])(
      'stays after a change of signer when the successor is revoked, also %i blocks later',
      async (blocks) => {
        node.mine(settledEvent(call, 59))
        await mineOn(blocks)
        node.mine(appointedEvent(), settledEvent(later, 40))
        await mineOn(blocks)
        node.mine(revokedEvent())
        await mineOn(blocks)
        expect(await pricesOf()).toEqual([59, 59, 59, null, null])
      },
    )

    it.each([
      ['a signer that was only proposed', revokedEvent({ inOffice: false })],
      ['a proposal for another role', revokedEvent({ inOffice: false, role: 1 })],
      ['a guardian', appointedEvent(1)],
    ])('stays when the event is about %s', async (_, event) => {
      node.mine(settledEvent(call, 59))
      node.mine(event)
      await index.refresh()
      expect(await pricesOf()).toEqual([59, 59, 59, null, null])
      node.mine(revokedEvent())
      await index.refresh()
      expect(await pricesOf()).toEqual([null, null, null, null, null])
    })

    it('is learnt from an event that names a package which the index has let go', async () => {
      openInterest.clear()
      node.answers.set(`${CORE}.getSeries`, answerState)
      index = open({ maxPackages: 1 })
      node.mine(...packages(7_000))
      await mineOn(8)
      expect(await index.find(seriesIdOf(spread))).toBeNull()
      node.requests.length = 0
      node.mine(settledEvent(spread, 59))
      await mineOn(0)
      expect(await pricesOf()).toEqual([59, 59, 59, null, null])
      expect(await index.find(idOf(7_000))).toMatchObject({ resolutionBps: 59 })
      node.mine(voidedEvent(spread, 59))
      await mineOn(0)
      expect(await pricesOf()).toEqual([null, null, null, null, null])
      await mineOn(8)
      expect(node.requests.filter(isSearch)).toHaveLength(1)
    })

    it('is learnt from such an event also where that is final when the process starts', async () => {
      node.answers.set(`${CORE}.getSeries`, answerState)
      let checkpoint: Checkpoint | null = null
      const keeper = {
        load: async () => checkpoint,
        save: async (saved: Checkpoint) => {
          checkpoint = saved
        },
      }
      index = open({ maxPackages: 1, keeper })
      node.mine(...packages(7_000))
      await mineOn(8)
      node.mine(settledEvent(spread, 59))
      for (let block = 0; block < 8; block += 1) node.mine()
      index = open({ maxPackages: 1, keeper })
      await index.refresh()
      expect(await pricesOf()).toEqual([59, 59, 59, null, null])
    })

    it('is gone with its block, also after a look-up that has read it', async () => {
      node.answers.set(`${CORE}.getSeries`, answerState)
      index = open({ maxPackages: 1 })
      node.mine(...packages(7_000))
      await mineOn(8)
      node.mine(settledEvent(call, 59))
      await index.refresh()
      expect(await index.lookUp(seriesIdOf(spread))).toMatchObject({ resolutionBps: 59 })
      node.drop(1)
      await mineOn(8)
      expect(await pricesOf()).toEqual([null, null, null, null, null])
    })

    it('is searched for once when its series was registered before the first block that the index reads', async () => {
      index = open({ startBlock: 2n })
      node.mine(settledEvent(call, 59))
      await mineOn(0)
      await mineOn(0)
      expect(node.requests.filter(isSearch)).toHaveLength(1)
      expect(await index.list()).toEqual([])
    })

    it('leaves a series the same object from one refresh to the next, which encoded lists are kept by', async () => {
      node.mine(settledEvent(call, 59))
      await mineOn(8)
      const before = await index.list()
      node.mine(haltEvent(later, true))
      await index.refresh()
      const after = await index.list()
      expect(before.map((series, i) => after[i] === series)).toEqual([true, true, true, false, true])
    })
  })

  /** A request for the registration of one series. */
  const isSearch = ({ method, params }: Request) =>
    method === 'eth_getLogs' && (params[0] as { topics: unknown[] }).topics.length > 1

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

  it('starts over on a chain that began again and is shorter', async () => {
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

    it('continues after a restart from the last final block', async () => {
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

    it('has the prices of markets and expiries after a restart', async () => {
      node.mine(createdEvent(termsAt(1_001)), createdEvent(termsAt(1_002)))
      node.mine(settledEvent(termsAt(1_002), 40))
      for (let block = 1; block <= 4; block += 1) node.mine()
      await index.refresh()
      await index.refresh()
      node.requests.length = 0
      index = open({ keeper })
      await index.refresh()
      expect(ranges()).toEqual([[5, 6]])
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
