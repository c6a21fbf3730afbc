import { CliError } from '@rfqctl/lib/cli-error'
import { shortId } from '@rfqctl/lib/format'
import type { Cadence, SourceMarket } from '@rfqctl/protocol/domain/listing'
import type { OptionType } from '@rfqctl/protocol/domain/option'
import type { Hex, StrikeBps } from '@rfqctl/protocol/domain/units'
import { createMarketSearch, type MarketSearch } from '@rfqctl/relay/adapters/markets/market-search'
import type { Cli } from '../cli.ts'
import { settingValues } from '../context/targets.ts'

export type RuleOptions = {
  from?: string
  query?: string
  conditionId?: readonly Hex[]
  maxMarkets: number
  strikes: readonly StrikeBps[]
  expiries: readonly Cadence[]
  types: readonly OptionType[]
}

/** Reads the source at each call. */
export function marketReader(cli: Cli, options: RuleOptions): () => Promise<readonly SourceMarket[]> {
  const { query, conditionId, maxMarkets } = options
  const url = options.from ?? settingValues(cli).MARKETS_URL
  if (url === null) throw new CliError('no source of markets given', { hint: '--from URL, or set MARKETS_URL' })
  const source = createMarketSearch({ url })
  return conditionId === undefined
    ? () => source.search({ text: query ?? null, max: maxMarkets })
    : () => findAll(source, [...new Set(conditionId)])
}

/** One after the other: a public API limits its rate. */
async function findAll(source: MarketSearch, conditionIds: readonly Hex[]): Promise<SourceMarket[]> {
  const found: SourceMarket[] = []
  for (const conditionId of conditionIds) {
    const market = await source.find(conditionId)
    if (market === null) {
      throw new CliError(`the source has no market ${shortId(conditionId)}`, {
        code: 'market_not_found',
        hint: 'compare --condition-id with the conditionId of the market at its source',
      })
    }
    found.push(market)
  }
  return found
}
