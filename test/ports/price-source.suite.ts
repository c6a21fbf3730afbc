import { beforeAll, describe, expect, it } from 'vitest'
import type { Hex } from '../../src/protocol/domain/units.ts'
import type { MarketSource, PriceSource } from '../../src/relay/core/ports/sources.ts'

/** Sources under test: an open market with prices from `from` to `to`, a closed one, both YES tokens. */
export type SourcesUnderTest = {
  prices: PriceSource
  markets: MarketSource
  open: { conditionId: Hex; yesTokenId: string; question: string }
  closed: { conditionId: Hex; yesTokenId: string; yesPrice: 0 | 1 }
  from: number
  to: number
}

const UNKNOWN_MARKET: Hex = `0x${'0f'.repeat(32)}`
const UNKNOWN_TOKEN = '987654321'

/** What every source of prices and outcomes must do. */
export function describePriceSource(name: string, start: () => Promise<SourcesUnderTest>): void {
  describe(name, () => {
    let test: SourcesUnderTest
    beforeAll(async () => {
      test = await start()
    })

    it('gives points within the window, both ends in, with prices from 0 to 1', async () => {
      const { prices, open, from, to } = test
      const points = await prices.history(open.yesTokenId, from, to)
      expect(points.length).toBeGreaterThan(0)
      for (const { t, p } of points) {
        expect(Number.isSafeInteger(t)).toBe(true)
        expect(t).toBeGreaterThanOrEqual(from)
        expect(t).toBeLessThanOrEqual(to)
        expect(p).toBeGreaterThanOrEqual(0)
        expect(p).toBeLessThanOrEqual(1)
      }
    })

    it('gives a point of which the window is one second long', async () => {
      const { prices, open, from, to } = test
      const [first] = await prices.history(open.yesTokenId, from, to)
      const t = first?.t ?? 0
      expect(await prices.history(open.yesTokenId, t, t)).toEqual([first])
    })

    it('has a good answer without points for a token that it does not know', async () => {
      expect(await test.prices.history(UNKNOWN_TOKEN, test.from, test.to)).toEqual([])
    })

    it('knows the question of a market, and none of an unknown one', async () => {
      expect(await test.markets.question(test.open.conditionId)).toBe(test.open.question)
      expect(await test.markets.question(UNKNOWN_MARKET)).toBeNull()
    })

    it('knows a final outcome only of a closed market', async () => {
      const { markets, open, closed } = test
      expect(await markets.outcome(closed.conditionId, closed.yesTokenId)).toMatchObject({ yesPrice: closed.yesPrice })
      expect(await markets.outcome(open.conditionId, open.yesTokenId)).toBeNull()
      expect(await markets.outcome(UNKNOWN_MARKET, closed.yesTokenId)).toBeNull()
    })

    it('gives no outcome to a token that is not of the market', async () => {
      expect(await test.markets.outcome(test.closed.conditionId, UNKNOWN_TOKEN)).toBeNull()
    })
  })
}
