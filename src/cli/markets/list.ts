import type { MarketSummary } from '@rfqctl/client/index'
import { shortId, strike, when, yesPriceText } from '@rfqctl/lib/format'
import { safeText } from '@rfqctl/protocol/domain/safe-text'
import type { Run } from '../cli.ts'
import { publicClient } from '../context/clients.ts'
import { keepShownRows } from '../context/shown-rows.ts'
import type { RelayOptions } from '../context/targets.ts'
import { MARKET_ROWS } from '../show/series-listing.ts'
import { type Column, tableLines } from '../terminal/table.ts'

export const run: Run<RelayOptions> = async (cli, options) => {
  const client = publicClient(cli, options)
  const [markets, now] = await Promise.all([
    client.listMarkets({ signal: cli.stop }),
    client.getTime({ signal: cli.stop }),
  ])
  keepShownRows(cli, options, { ...MARKET_ROWS, items: markets })
  const documents = markets.map(({ yesTokenId, ...market }) => ({ ...market, yesClobTokenId: yesTokenId }))
  cli.out.print(
    { type: 'markets', count: markets.length, markets: documents },
    markets.length === 0 ? 'no markets' : tableLines(columnsAt(now, markets), markets, cli.out),
  )
}

const columnsAt = (now: number, markets: readonly MarketSummary[]): Column<MarketSummary>[] => [
  { heading: '', cell: (market) => `@${markets.indexOf(market) + 1}` },
  { heading: 'MARKET', cell: ({ conditionId }) => shortId(conditionId) },
  { heading: 'SERIES', cell: ({ seriesCount }) => String(seriesCount), align: 'right' },
  { heading: 'YES', cell: yesPriceText, align: 'right' },
  { heading: 'STRIKES', cell: ({ strikes }) => strikes.map((bps) => strike(bps)).join(' ') },
  { heading: 'NEXT EXPIRY', cell: ({ expiries }) => nextExpiry(expiries, now) },
  { heading: 'QUESTION', cell: ({ name }) => safeText(name) },
]

function nextExpiry(expiries: readonly number[], now: number): string {
  const ahead = expiries.filter((expiry) => expiry * 1_000 > now)
  return ahead.length === 0 ? 'all past' : when(Math.min(...ahead) * 1_000, now)
}
