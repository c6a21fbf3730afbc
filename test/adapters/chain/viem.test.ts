import { HttpRequestError } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { createRpc } from '../../../src/adapters/chain/rpc.ts'
import { createViemChain } from '../../../src/adapters/chain/viem.ts'
import { type Series, seriesIdOf } from '../../../src/domain/series.ts'
import type { Chain } from '../../../src/relay/ports/chain.ts'
import { CORE, createFakeNode, ENVIRONMENT, type FakeNode, SETTLEMENT, STABLECOIN } from './fake-node.ts'
import { termsAt, WALLET } from './terms.ts'

const TERMS = termsAt(4_500)
const SERIES_ID = seriesIdOf(TERMS)
const STATE = {
  expiry: BigInt(TERMS.expiry),
  strikeBps: TERMS.strikeBps,
  optionType: 0,
  resolutionBps: 0,
  settled: false,
  halted: false,
  openInterest: 0n,
}

describe('the chain behind a node', () => {
  let node: FakeNode
  let chain: Chain
  let now: number
  let indexed: Map<string, Series>
  let onRefresh: () => void
  let refreshes: number

  const calls = (method: string) => node.requests.filter((request) => request.method === method).length
  const down = () => new HttpRequestError({ url: 'http://node', details: 'down' })

  beforeEach(() => {
    node = createFakeNode(1_800_000_000)
    now = 5_000
    indexed = new Map()
    refreshes = 0
    onRefresh = () => {}
    chain = createViemChain({
      rpc: createRpc(node.transport, async () => {}),
      environment: ENVIRONMENT,
      seriesIndex: {
        list: async () => [...indexed.values()],
        find: async (seriesId) => indexed.get(seriesId) ?? null,
        refresh: async () => {
          refreshes += 1
          onRefresh()
        },
      },
      cacheMs: 3_000,
      now: () => now,
    })
  })

  describe('time', () => {
    it('is that of the latest block when no later one is pending', async () => {
      expect(await chain.time('latest')).toBe(1_800_000_000)
    })

    it('is that of the pending block when that is later, because a fill will be judged by it', async () => {
      node.pendingAheadS = 2
      expect(await chain.time('latest')).toBe(1_800_000_002)
    })

    it('may be a few seconds old when cached', async () => {
      await chain.time('cached')
      node.mine()
      expect(await chain.time('cached')).toBe(1_800_000_000)
      now += 3_000
      expect(await chain.time('cached')).toBe(1_800_000_001)
      expect(await chain.time('latest')).toBe(1_800_000_001)
    })
  })

  describe('funds', () => {
    beforeEach(() => {
      node.answers.set(`${STABLECOIN}.balanceOf`, ([wallet]) => ({ value: wallet === WALLET ? 7_000_000n : 0n }))
      node.answers.set(`${STABLECOIN}.allowance`, ([owner, spender]) => ({
        value: owner !== WALLET ? 0n : spender === CORE ? 1n : spender === SETTLEMENT ? 2n : 3n,
      }))
    })

    it('are the balance and what is approved to the one spender', async () => {
      expect(await chain.funds(WALLET, 'core', 'latest')).toEqual({ balance: 7_000_000n, allowance: 1n })
      expect(await chain.funds(WALLET, 'settlement', 'latest')).toEqual({ balance: 7_000_000n, allowance: 2n })
    })

    it('are read once for all who ask within the cache time, for each wallet and spender', async () => {
      await Promise.all(Array.from({ length: 20 }, () => chain.funds(WALLET, 'core', 'cached')))
      expect(calls('eth_call')).toBe(1)
      await chain.funds(WALLET, 'settlement', 'cached')
      await chain.funds(CORE, 'core', 'cached')
      expect(calls('eth_call')).toBe(3)
      await chain.funds(WALLET, 'core', 'latest')
      expect(calls('eth_call')).toBe(4)
    })

    it('are refused with chain_unavailable when they cannot be read, and read anew after that', async () => {
      node.faults = Array.from({ length: 3 }, down)
      await expect(chain.funds(WALLET, 'core', 'cached')).rejects.toMatchObject({ code: 'chain_unavailable' })
      expect(await chain.funds(WALLET, 'core', 'cached')).toEqual({ balance: 7_000_000n, allowance: 1n })
    })
  })

  describe('series', () => {
    it('is null when the core does not know the id, without a look at the index', async () => {
      node.answers.set(`${CORE}.getSeries`, { reverts: 'SeriesUnknown', args: [BigInt(SERIES_ID)] })
      expect(await chain.series(SERIES_ID)).toBeNull()
      expect(refreshes).toBe(0)
      expect(calls('eth_call')).toBe(1)
    })

    it('carries the state of now, whatever the index says', async () => {
      indexed.set(SERIES_ID, { ...TERMS, seriesId: SERIES_ID, halted: true, resolutionBps: null })
      node.answers.set(`${CORE}.getSeries`, { value: { ...STATE, settled: true, resolutionBps: 59 } })
      expect(await chain.series(SERIES_ID)).toEqual({
        ...TERMS,
        seriesId: SERIES_ID,
        halted: false,
        resolutionBps: 59,
      })
    })

    it('is unsettled with a price of null, not of zero', async () => {
      indexed.set(SERIES_ID, { ...TERMS, seriesId: SERIES_ID, halted: false, resolutionBps: null })
      node.answers.set(`${CORE}.getSeries`, { value: { ...STATE, halted: true } })
      expect(await chain.series(SERIES_ID)).toMatchObject({ halted: true, resolutionBps: null })
    })

    it('registered since the last refresh is found by another one', async () => {
      node.answers.set(`${CORE}.getSeries`, { value: STATE })
      onRefresh = () => indexed.set(SERIES_ID, { ...TERMS, seriesId: SERIES_ID, halted: false, resolutionBps: null })
      expect(await chain.series(SERIES_ID)).toMatchObject(TERMS)
      expect(refreshes).toBe(1)
    })

    it('whose registration the node does not show yet is refused with chain_unavailable', async () => {
      node.answers.set(`${CORE}.getSeries`, { value: STATE })
      await expect(chain.series(SERIES_ID)).rejects.toMatchObject({ code: 'chain_unavailable' })
    })

    it('is refused with chain_unavailable when the core reverts for another reason', async () => {
      node.answers.set(`${CORE}.getSeries`, { reverts: 'AmountZero' })
      await expect(chain.series(SERIES_ID)).rejects.toMatchObject({ code: 'chain_unavailable' })
    })
  })

  it('asks the node in one call for all that is read at the same moment', async () => {
    node.answers.set(`${STABLECOIN}.balanceOf`, { value: 7_000_000n })
    node.answers.set(`${STABLECOIN}.allowance`, { value: 5_000_000n })
    node.answers.set(`${SETTLEMENT}.isNonceUsed`, { value: false })
    node.answers.set(`${CORE}.getSeries`, { reverts: 'SeriesUnknown', args: [BigInt(SERIES_ID)] })
    const [funds, used, series] = await Promise.all([
      chain.funds(WALLET, 'core', 'latest'),
      chain.usedNonces(WALLET, [1, 2, 3]),
      chain.series(SERIES_ID),
    ])
    expect(funds).toEqual({ balance: 7_000_000n, allowance: 5_000_000n })
    expect(used).toEqual(new Set())
    expect(series).toBeNull()
    expect(calls('eth_call')).toBe(1)
  })

  it('tells which nonces of a maker are used', async () => {
    node.answers.set(`${SETTLEMENT}.isNonceUsed`, ([maker, nonce]) => ({
      value: maker === WALLET && (nonce === 2n || nonce === 2n ** 40n),
    }))
    expect(await chain.usedNonces(WALLET, [1, 2, 3, 2 ** 40])).toEqual(new Set([2, 2 ** 40]))
    expect(await chain.usedNonces(CORE, [1, 2])).toEqual(new Set())
    expect(await chain.usedNonces(WALLET, [])).toEqual(new Set())
  })
})
