import { createSimulatedChain } from '../../src/relay/adapters/chain/simulated.ts'
import { fixtureSeries, readFixtureMarkets } from '../../src/relay/adapters/markets/fixture-markets.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { describeChain } from './chain.suite.ts'

describeChain('the simulated chain', () => {
  const clock = createFakeClock()
  const markets = readFixtureMarkets()
  return {
    ...createSimulatedChain({ chainId: 80_002, seriesAt: (time) => fixtureSeries(markets, time), clock }),
    now: () => Math.floor(clock.now() / 1_000),
  }
})
