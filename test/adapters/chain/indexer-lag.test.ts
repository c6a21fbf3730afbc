import fc from 'fast-check'
import { custom, type Transport, toHex } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Checkpoint, createSeriesIndexer } from '../../../src/adapters/chain/indexer.ts'
import { createRpc } from '../../../src/adapters/chain/rpc.ts'
import { seriesIdOf } from '../../../src/domain/series.ts'
import type { SeriesIndex } from '../../../src/relay/ports/chain.ts'
import {
  CORE,
  createdEvent,
  createFakeNode,
  type FakeNode,
  haltEvent,
  type Request,
  settledEvent,
} from './fake-node.ts'
import { termsAt } from './terms.ts'

const DAY_MS = 86_400_000

/** Answers as a node does that has not seen the last blocks of the chain: it does not say so. */
function answerLate(node: FakeNode, { method, params }: Request, lag: number): Promise<unknown> {
  const head = node.head() - lag
  if (method === 'eth_getBlockByNumber') {
    const [tag] = params as [string]
    const unfinal = node.unfinal ?? 0
    if (tag === 'latest') return node.answer({ method, params: [toHex(head)] })
    if (tag === 'finalized')
      return node.answer({ method, params: [toHex(Math.max(0, Math.min(head, node.head() - unfinal)))] })
    return Number(tag) > head ? Promise.resolve(null) : node.answer({ method, params })
  }
  if (method === 'eth_getLogs') {
    const [filter] = params as [{ fromBlock: string; toBlock: string }]
    if (Number(filter.fromBlock) > head) return Promise.resolve([])
    return node.answer({ method, params: [{ ...filter, toBlock: toHex(Math.min(Number(filter.toBlock), head)) }] })
  }
  return node.answer({ method, params })
}

/** Several nodes behind one address: `lagOf` says how far the one lags that gets a batch, or a call, by its methods. */
function nodesBehind(node: FakeNode, lagOf: (methods: readonly string[]) => number): Transport {
  type Call = { request: Request; resolve: (answer: unknown) => void; reject: (fault: unknown) => void }
  let batch: Call[] = []
  function send(): void {
    const calls = batch
    batch = []
    const lag = lagOf(calls.map(({ request }) => nameOf(request)))
    for (const { request, resolve, reject } of calls) answerLate(node, request, lag).then(resolve, reject)
  }
  const request = (call: unknown) =>
    new Promise<unknown>((resolve, reject) => {
      if (batch.length === 0) setImmediate(send)
      batch.push({ request: call as Request, resolve, reject })
    })
  return custom({ request }, { retryCount: 0 })
}

const nameOf = ({ method, params }: Request): string =>
  method === 'eth_getBlockByNumber' ? `block ${params[0]}` : method

describe('the series indexer behind an address of several nodes', () => {
  let node: FakeNode
  let index: SeriesIndex
  let saved: Checkpoint[]
  let now: number
  let lagOf: (methods: readonly string[]) => number

  const keeper = {
    load: async () => saved.at(-1) ?? null,
    save: async (checkpoint: Checkpoint) => void saved.push(checkpoint),
  }
  const open = (overlapBlocks = 0n) =>
    createSeriesIndexer({
      rpc: createRpc(
        nodesBehind(node, (methods) => lagOf(methods)),
        async () => {},
      ),
      coreAddress: CORE,
      startBlock: 0n,
      overlapBlocks,
      chunkBlocks: 7n,
      keeper,
      now: () => now,
    })
  const strikes = async () => (await index.list()).map(({ strikeBps }) => strikeBps).sort((a, b) => a - b)
  const mine = (count: number) => {
    for (let block = 0; block < count; block += 1) node.mine()
  }
  const register = (strike: number) => node.mine(createdEvent(termsAt(strike)))
  const inSync = () => 0

  beforeEach(() => {
    node = createFakeNode()
    node.unfinal = 0
    saved = []
    now = 1_800_000_000_000
    lagOf = inSync
    index = open()
  })

  it('does not pass the block that the node has which gives the logs, also over a restart', async () => {
    register(1)
    mine(3)
    await index.refresh()
    mine(2)
    register(2)
    lagOf = (methods) => (methods.includes('eth_getLogs') ? 1 : 0)
    await index.refresh()
    expect(await strikes()).toEqual([1])
    index = open()
    lagOf = inSync
    await index.refresh()
    expect(await strikes()).toEqual([1, 2])
  })

  it('takes nothing for final that the newest block has not reached', async () => {
    mine(4)
    register(1)
    lagOf = (methods) => (methods.includes('block latest') && methods.includes('eth_getLogs') ? 3 : 0)
    await index.refresh()
    lagOf = inSync
    await index.refresh()
    expect(await strikes()).toEqual([1])
  })

  it('keeps what it knows when a node answers that has not come so far, and refuses rather than to start over', async () => {
    for (let strike = 1; strike <= 5; strike += 1) register(strike)
    await index.refresh()
    lagOf = () => 3
    node.requests.length = 0
    await expect(index.refresh()).rejects.toMatchObject({ code: 'chain_unavailable' })
    expect(await strikes()).toEqual([1, 2, 3, 4, 5])
    expect(node.requests.filter(({ method }) => method === 'eth_getLogs')).toEqual([])
  })

  it('keeps what it has seen in a final block when a later answer leaves it out', async () => {
    index = open(100n)
    for (let strike = 1; strike <= 5; strike += 1) register(strike)
    await index.refresh()
    const { logs } = node
    node.logs = () => []
    mine(1)
    await index.refresh()
    expect(await strikes()).toEqual([1, 2, 3, 4, 5])
    node.logs = logs
  })

  it('finds in the overlap what a node has kept silent of once', async () => {
    index = open(4n)
    register(1)
    mine(2)
    const { logs } = node
    node.logs = () => []
    await index.refresh()
    node.logs = logs
    mine(2)
    await index.refresh()
    expect(await strikes()).toEqual([1])
  })

  describe('when an event was lost for good', () => {
    const [lost, other] = [termsAt(1), termsAt(2)]
    const STATE = { expiry: BigInt(lost.expiry), strikeBps: 1, optionType: 0, openInterest: 0n }

    beforeEach(async () => {
      const { logs } = node
      node.logs = () => []
      node.mine(createdEvent(lost))
      node.mine(haltEvent(lost, true))
      mine(3)
      await index.refresh()
      mine(3)
      await index.refresh()
      node.logs = logs
      node.mine(createdEvent(other))
      await index.refresh()
      expect(await strikes()).toEqual([2])
      node.requests.length = 0
    })

    it('finds the series by its id, in one question, and has it from then on, also after a restart', async () => {
      node.answers.set(`${CORE}.getSeries`, {
        value: { ...STATE, resolutionBps: 59, settled: true, halted: true },
      })
      const series = { ...lost, seriesId: seriesIdOf(lost), halted: true, resolutionBps: 59 }
      expect(await index.lookUp(seriesIdOf(lost))).toEqual(series)
      expect(await index.lookUp(seriesIdOf(lost))).toEqual(series)
      const topics = node.requests.flatMap(({ method, params }) =>
        method === 'eth_getLogs' ? [(params[0] as { topics: unknown[] }).topics] : [],
      )
      expect(topics.filter(([, id]) => id === toHex(BigInt(seriesIdOf(lost)), { size: 32 }))).toHaveLength(1)
      mine(1)
      await index.refresh()
      index = open()
      await index.refresh()
      expect(await strikes()).toEqual([1, 2])
    })

    it('asks for no event of a series that the core does not know either', async () => {
      node.answers.set(`${CORE}.getSeries`, { reverts: 'SeriesUnknown', args: [1n] })
      expect(await index.lookUp('1')).toBeNull()
      expect(node.requests.filter(({ method }) => method === 'eth_getLogs')).toEqual([])
    })

    it('reads all again a day later, once', async () => {
      now += DAY_MS
      await index.refresh()
      await expect.poll(strikes).toEqual([1, 2])
      expect(await index.find(seriesIdOf(lost))).toMatchObject({ halted: true })
      node.requests.length = 0
      mine(1)
      await index.refresh()
      await new Promise((resolve) => setImmediate(resolve))
      const ranges = node.requests.filter(({ method }) => method === 'eth_getLogs')
      expect(ranges).toHaveLength(1)
      index = open()
      await index.refresh()
      expect(await strikes()).toEqual([1, 2])
    })

    it('learns of a settlement, too', async () => {
      const { logs } = node
      node.logs = () => []
      node.mine(settledEvent(other, 40))
      mine(3)
      await index.refresh()
      mine(3)
      await index.refresh()
      node.logs = logs
      expect(await index.find(seriesIdOf(other))).toMatchObject({ resolutionBps: null })
      now += DAY_MS
      await index.refresh()
      await expect.poll(() => index.find(seriesIdOf(other))).toMatchObject({ resolutionBps: 40 })
    })
  })

  it('never forgets, and knows all as soon as the nodes agree, however they have lagged', async () => {
    const step = fc.record({
      blocks: fc.array(fc.boolean(), { maxLength: 6 }),
      lags: fc.array(fc.nat({ max: 8 }), { minLength: 1, maxLength: 4 }),
      restarts: fc.boolean(),
    })
    const scene = fc.record({
      steps: fc.array(step, { minLength: 1, maxLength: 10 }),
      unfinal: fc.nat({ max: 3 }),
      overlap: fc.constantFrom(0n, 1n, 5n),
    })
    await fc.assert(
      fc.asyncProperty(scene, async ({ steps, unfinal, overlap }) => {
        node = createFakeNode()
        node.unfinal = unfinal
        saved = []
        mine(10)
        index = open(overlap)
        const registered: number[] = []
        for (const { blocks, lags, restarts } of steps) {
          for (const isRegistration of blocks) {
            if (isRegistration) register(registered.push(registered.length + 1))
            else node.mine()
          }
          let turn = 0
          lagOf = () => lags[turn++ % lags.length] as number
          if (restarts) index = open(overlap)
          const before = restarts ? [] : await strikes()
          await index.refresh().catch((fault: unknown) => expect(fault).toMatchObject({ code: 'chain_unavailable' }))
          const after = new Set(await strikes())
          expect(before.filter((strike) => !after.has(strike as never))).toEqual([])
        }
        lagOf = inSync
        await index.refresh()
        expect(await strikes()).toEqual(registered)
        index = open(overlap)
        await index.refresh()
        expect(await strikes()).toEqual(registered)
      }),
      { numRuns: 200 },
    )
  })
})
