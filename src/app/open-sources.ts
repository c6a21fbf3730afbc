import { createHttpMarkets } from '../adapters/markets/http.ts'
import type { FixturePrices } from '../adapters/prices/fixture.ts'
import { createHttpPrices } from '../adapters/prices/http.ts'
import type { Settings } from '../config/settings.ts'
import type { Log } from '../relay/ports/runtime.ts'
import type { MarketSource, PriceSource } from '../relay/ports/sources.ts'

/** Where prices and outcomes come from: a public API where one is set, else the fixtures. */
export const openSources = (
  { historyUrl, marketsUrl }: Settings['prices'],
  { fixtures, log }: { fixtures: FixturePrices; log: Log },
): { prices: PriceSource; markets: MarketSource } => ({
  prices: historyUrl === null ? fixtures : createHttpPrices({ url: historyUrl, log }),
  markets: marketsUrl === null ? fixtures : createHttpMarkets({ url: marketsUrl }),
})
