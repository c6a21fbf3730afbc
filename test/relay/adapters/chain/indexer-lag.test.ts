import fc from 'fast-check'
import { toHex } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { type SeriesTerms, seriesIdOf } from '../../../../src/protocol/domain/series.ts'
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
  revokedEvent,
  settledEvent,
  voidedEvent,
} from './fake-node.ts'
import { nodesBehind } from './lagging-nodes.ts'
import { strikesOf, termsAt } from './terms.ts'

const DAY_MS = 86_400_000

/** A core with one fixing, as the contract keeps it: a price belongs to the term of its signer. */
type CoreState = {
  price: { bps: number; finalAt: number; term: number } | null
  vetoed: boolean
  term: number
  hasSigner: boolean
}

const NEW_CORE: CoreState = { price: null, vetoed: false, term: 1, hasSigner: true }

/** An act in a block, with its events; none where the contract refuses it. */
function actOn(
  state: CoreState,
  act: string,
  { terms, time, window }: { terms: SeriesTerms; time: number; window: number },
): { state: CoreState; events: ReturnType<typeof settledEvent>[] } {
  const { price, vetoed, term, hasSigner } = state
  const isFinal = price !== null && time >= price.finalAt
  const bps = time % 100
  if (act === 'attest' && price === null && !vetoed && hasSigner) {
    const finalAt = time + window
    return { state: { ...state, price: { bps, finalAt, term } }, events: [settledEvent(terms, bps, finalAt)] }
  }
  if (act === 'execute' && price === null) {
    return { state: { ...state, price: { bps, finalAt: time, term: 0 } }, events: [settledEvent(terms, bps, time)] }
  }
  if (act === 'veto' && price !== null && !isFinal) {
    return { state: { ...state, price: null, vetoed: true }, events: [voidedEvent(terms, price.bps)] }
  }
  if (act === 'appoint') return { state: { ...state, term: term + 1, hasSigner: true }, events: [appointedEvent()] }
  if (act === 'revoke' && hasSigner) {
    const isVoid = price !== null && price.term === term && !isFinal
    return { state: { ...state, hasSigner: false, price: isVoid ? null : price }, events: [revokedEvent()] }
  }
  return { state, events: [] }
}

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
  const strikes = async () => strikesOf(await index.list()).sort((a, b) => a - b)
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
    const NEWER = {
      maxPayoff: 550_000,
      payoff: 0,
      finalAt: 0n,
      vetoed: false,
      openInterestCap: 2n ** 68n - 1n,
      tradingEndsAt: 0n,
      fixing: 1,
    }
    const STATE = { expiry: BigInt(lost.expiry), strikeBps: 1, optionType: 0, openInterest: 0n, ...NEWER }

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
        value: { ...STATE, resolutionBps: 59, settled: true, halted: true, finalAt: 77n },
      })
      const series = { ...lost, seriesId: seriesIdOf(lost), halted: true, resolutionBps: 59, finalAt: 77 }
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

    it('learns of a price that was taken back, too', async () => {
      node.mine(settledEvent(other, 40))
      await index.refresh()
      const { logs } = node
      node.logs = () => []
      node.mine(voidedEvent(other, 40))
      mine(3)
      await index.refresh()
      mine(3)
      await index.refresh()
      node.logs = logs
      expect(await index.find(seriesIdOf(other))).toMatchObject({ resolutionBps: 40 })
      now += DAY_MS
      await index.refresh()
      await expect.poll(() => index.find(seriesIdOf(other))).toMatchObject({ resolutionBps: null, vetoed: true })
    })

    it('learns of a revocation that has voided a price, too', async () => {
      node.mine(settledEvent(other, 40))
      await index.refresh()
      const { logs } = node
      node.logs = () => []
      node.mine(revokedEvent())
      mine(3)
      await index.refresh()
      mine(3)
      await index.refresh()
      node.logs = logs
      expect(await index.find(seriesIdOf(other))).toMatchObject({ resolutionBps: 40 })
      now += DAY_MS
      await index.refresh()
      await expect.poll(() => index.find(seriesIdOf(other))).toMatchObject({ resolutionBps: null })
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

  it('saves a price that it has learnt by reading all again', async () => {
    register(1)
    mine(3)
    await index.refresh()
    const { logs } = node
    node.logs = () => []
    node.mine(settledEvent(termsAt(1), 40))
    for (let round = 0; round < 2; round += 1) {
      mine(3)
      await index.refresh()
    }
    node.logs = logs
    now += DAY_MS
    await index.refresh()
    await expect.poll(() => index.find(seriesIdOf(termsAt(1)))).toMatchObject({ resolutionBps: 40 })
    mine(1)
    await index.refresh()
    expect([...(saved.at(-1)?.fixings.values() ?? [])]).toMatchObject([{ resolutionBps: 40 }])
  })

  it('has the price that the core has as soon as the nodes agree, however they lagged and reorganised', async () => {
    const [named, sibling] = [termsAt(1), termsAt(2)]
    const act = fc.constantFrom('none', 'attest', 'attest', 'execute', 'veto', 'appoint', 'revoke')
    const step = fc.record({
      drops: fc.nat({ max: 2 }),
      blocks: fc.array(act, { maxLength: 5 }),
      lags: fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 4 }),
      restarts: fc.boolean(),
    })
    const scene = fc.record({
      steps: fc.array(step, { minLength: 1, maxLength: 8 }),
      window: fc.constantFrom(0, 2, 6),
      overlap: fc.constantFrom(0n, 1n, 5n),
    })
    await fc.assert(
      fc.asyncProperty(scene, async ({ steps, window, overlap }) => {
        node = createFakeNode()
        node.unfinal = 2
        saved = []
        index = open(overlap)
        node.mine(createdEvent(named), createdEvent(sibling))
        mine(10)
        /** The core in each block. */
        const states: CoreState[] = Array.from({ length: node.head() + 1 }, () => NEW_CORE)
        const stateNow = () => states.at(-1) as CoreState
        for (const { drops, blocks, lags, restarts } of steps) {
          if (drops > 0) node.drop(drops)
          states.splice(states.length - drops)
          for (const what of [...blocks, ...Array(drops).fill('none')]) {
            const time = 1_800_000_000 + states.length
            const { state, events } = actOn(stateNow(), what, { terms: named, time, window })
            node.mine(...events)
            states.push(state)
          }
          let turn = 0
          lagOf = () => lags[turn++ % lags.length] as number
          if (restarts) index = open(overlap)
          await index.refresh().catch((fault: unknown) => expect(fault).toMatchObject({ code: 'chain_unavailable' }))
        }
        lagOf = inSync
        await index.refresh()
        const { price, vetoed } = stateNow()
        for (const terms of [named, sibling]) {
          const series = await index.find(seriesIdOf(terms))
          expect([series?.resolutionBps, series?.finalAt]).toEqual([price?.bps ?? null, price?.finalAt])
          expect(series?.vetoed === true).toBe(vetoed)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('never forgets, and knows what the chain has as soon as the nodes agree, however they lagged and reorganised', async () => {
    const step = fc.record({
      drops: fc.nat({ max: 3 }),
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
        const registeredIn = new Map<number, number>()
        let next = 1
        for (const { drops, blocks, lags, restarts } of steps) {
          const dropped = Math.min(drops, unfinal)
          if (dropped > 0) node.drop(dropped)
          mine(dropped)
          for (const [strike, block] of registeredIn) if (block > node.head() - dropped) registeredIn.delete(strike)
          for (const isRegistration of blocks) {
            if (isRegistration) register(next)
            else node.mine()
            if (isRegistration) registeredIn.set(next++, node.head())
          }
          let turn = 0
          lagOf = () => lags[turn++ % lags.length] as number
          if (restarts) index = open(overlap)
          const before = restarts ? [] : await strikes()
          await index.refresh().catch((fault: unknown) => expect(fault).toMatchObject({ code: 'chain_unavailable' }))
          const after = new Set(await strikes())
          const isKept = (strike: number) => registeredIn.has(strike) && !after.has(strike as never)
          expect(before.filter((strike) => isKept(strike as number))).toEqual([])
        }
        lagOf = inSync
        await index.refresh()
        expect(await strikes()).toEqual([...registeredIn.keys()])
        index = open(overlap)
        await index.refresh()
        expect(await strikes()).toEqual([...registeredIn.keys()])
      }),
      { numRuns: 200 },
    )
  })
})
