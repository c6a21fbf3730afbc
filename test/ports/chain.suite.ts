import { beforeAll, describe, expect, it } from 'vitest'
import type { Series } from '../../src/protocol/domain/series.ts'
import type { Chain, SeriesIndex } from '../../src/relay/core/ports/chain.ts'

/** A chain under test with its index, at least two series on it, and the time that it should show, Unix seconds. */
export type ChainUnderTest = { chain: Chain; seriesIndex: SeriesIndex; now: () => number }

const UNKNOWN_SERIES = (2n ** 256n - 1n).toString()
const WALLET = '0x000000000000000000000000000000000000dEaD'

const stateOf = (series?: Series) => ({
  expiry: series?.expiry,
  halted: series?.halted,
  resolutionBps: series?.resolutionBps,
})

/** What every chain and its index must do, whatever is behind them. */
export function describeChain(name: string, open: () => ChainUnderTest): void {
  describe(name, () => {
    let chain: Chain
    let seriesIndex: SeriesIndex
    let listed: readonly Series[]

    beforeAll(async () => {
      const test = open()
      chain = test.chain
      seriesIndex = test.seriesIndex
      await seriesIndex.refresh()
      listed = await seriesIndex.list()
    })

    it.each(['cached', 'latest'] as const)('shows its time in whole Unix seconds, %s', async (freshness) => {
      const time = await chain.time(freshness)
      expect(Number.isSafeInteger(time)).toBe(true)
      expect(Math.abs(time - open().now())).toBeLessThan(60)
    })

    it('lists each series once, and finds it by its id', async () => {
      expect(listed.length).toBeGreaterThanOrEqual(2)
      expect(new Set(listed.map(({ seriesId }) => seriesId)).size).toBe(listed.length)
      for (const series of listed) {
        expect(await seriesIndex.find(series.seriesId)).toEqual(series)
        expect(await seriesIndex.lookUp(series.seriesId)).toEqual(series)
      }
    })

    it('reads a series as the index lists it', async () => {
      const [first, second] = listed
      expect(await chain.series(first?.seriesId ?? '', 'latest')).toMatchObject(stateOf(first))
      expect(await chain.series(second?.seriesId ?? '', 'cached')).toMatchObject(stateOf(second))
    })

    it('knows no series that is not registered', async () => {
      expect(await chain.series(UNKNOWN_SERIES, 'latest')).toBeNull()
      expect(await seriesIndex.find(UNKNOWN_SERIES)).toBeNull()
      expect(await seriesIndex.lookUp(UNKNOWN_SERIES)).toBeNull()
    })

    it.each(['core', 'settlement'] as const)('reads funds towards the %s as micro-dollars', async (spender) => {
      const funds = await chain.funds(WALLET, spender, 'latest')
      expect(funds).toEqual({ balance: expect.any(BigInt), allowance: expect.any(BigInt) })
      expect(await chain.funds(WALLET, spender, 'cached')).toEqual(funds)
    })

    it('knows no position of a wallet that never traded, also in a series that there is not', async () => {
      const ids = [...listed.map(({ seriesId }) => seriesId), UNKNOWN_SERIES]
      expect(await chain.positions(WALLET, ids)).toEqual([])
      expect(await chain.positions(WALLET, [])).toEqual([])
    })
  })
}
