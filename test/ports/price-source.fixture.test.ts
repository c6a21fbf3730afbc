import { readFixtureMarkets } from '../../src/relay/adapters/markets/fixture-markets.ts'
import { createFixturePrices } from '../../src/relay/adapters/prices/fixture.ts'
import { describePriceSource } from './price-source.suite.ts'

describePriceSource('the fixture prices', async () => {
  const markets = readFixtureMarkets()
  const source = createFixturePrices(markets)
  const open = markets.find(({ outcome }) => outcome === null)
  const closed = markets.find(({ outcome }) => outcome !== null)
  if (open === undefined || closed === undefined || closed.outcome === null) throw new Error('no such fixtures')
  return {
    prices: source,
    markets: source,
    open,
    closed: { ...closed, yesPrice: closed.outcome.yesPrice },
    from: 1_800_000_000,
    to: 1_800_001_800,
  }
})
