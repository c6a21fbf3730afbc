import { RelayError } from '@rfqctl/client/index'
import { CliError } from '@rfqctl/lib/cli-error'
import { markText, optionText, priceText, when } from '@rfqctl/lib/format'
import { toUsd6, usd6ToNumber } from '@rfqctl/protocol/domain/decimal'
import { impliedVolatility } from '@rfqctl/protocol/domain/implied-volatility'
import { valueAt } from '@rfqctl/protocol/domain/option'
import { fairValue, type Greeks, greeks, YEAR_MS } from '@rfqctl/protocol/domain/pricing'
import type { SeriesMark } from '@rfqctl/protocol/domain/surface'
import { type Usd6, usd6 } from '@rfqctl/protocol/domain/units'
import type { Cli, Run } from '../cli.ts'
import { publicClient } from '../context/clients.ts'
import type { ChainOptions, RelayOptions } from '../context/targets.ts'
import { listSeriesRows, type SeriesRow } from '../show/series-listing.ts'
import { type Column, factLines, tableLines } from '../terminal/table.ts'

/** `volatility` is 1 for 100 %. */
type Options = RelayOptions & ChainOptions & { volatility?: number; price?: Usd6; spot?: Usd6 }

type Valuation = Greeks & { volatility: number; fairValue: number }

/** Without a surface a person sees the value in a calm market and in a wild one. */
const ASSUMED = [0.5, 1, 2]

/** At chain time where it is ahead, as series expire by it. */
export const price: Run<Options, [series: string]> = async (cli, options, text) => {
  const client = publicClient(cli, options)
  const { find, now } = await listSeriesRows(cli, options, client)
  const series = find(text)
  if (series.state !== 'open') {
    throw new CliError(`${series.name} has expired`, {
      code: 'option_expired',
      why: ['its price is that of its window, not of a model'],
      hint: `rfqctl series get ${text}`,
    })
  }
  const spot = options.spot ?? (await spotOf(cli, client, series))
  const present = { spot: usd6ToNumber(spot), years: (series.expiry * 1_000 - now) / YEAR_MS }
  const { mark, volatility } = await markOf(cli, client, series)
  const chosen = options.volatility ?? volatility
  const volatilities =
    options.price === undefined ? (chosen === null ? ASSUMED : [chosen]) : [impliedBy(options.price, series, present)]
  const values = volatilities.map((volatility): Valuation => {
    const input = { ...present, volatility }
    return { volatility, fairValue: fairValue(series, input), ...greeks(series, input) }
  })
  const intrinsic = valueAt(series, spot)
  const { seriesId, name, expiry } = series
  cli.out.print(
    {
      type: 'price',
      seriesId,
      name,
      ...present,
      intrinsicValue: usd6ToNumber(intrinsic),
      mark: mark === null ? null : usd6ToNumber(mark),
      values,
    },
    [
      ...factLines(
        [
          ['option', optionText(series)],
          ['expiry', when(expiry * 1_000, now)],
          ['YES price', priceText(spot)],
          ['intrinsic value', priceText(intrinsic)],
          ['mark', mark === null ? 'none: no maker has levels, and no trade was filled lately' : markText(mark)],
        ],
        cli.out.colors,
      ),
      '',
      ...tableLines(COLUMNS, values, cli.out),
    ],
  )
}

async function spotOf(cli: Cli, client: ReturnType<typeof publicClient>, series: SeriesRow): Promise<Usd6> {
  const markets = await client.listMarkets({ signal: cli.stop })
  const market = markets.find(
    ({ conditionId, yesTokenId }) => conditionId === series.conditionId && yesTokenId === series.yesTokenId,
  )
  const spot = toUsd6(market?.yesPrice ?? Number.NaN, 'half-up')
  if (spot !== null) return spot
  throw new CliError('the relay knows no YES price of this market', { code: 'not_found', hint: 'add --spot 0.5' })
}

/** Both null without a surface, and from a relay that is older than surfaces. */
async function markOf(
  cli: Cli,
  client: ReturnType<typeof publicClient>,
  { conditionId, seriesId }: SeriesRow,
): Promise<Pick<SeriesMark, 'mark' | 'volatility'>> {
  const none = { mark: null, volatility: null }
  try {
    const { series } = await client.getSurface({ conditionId, signal: cli.stop })
    return series.find((one) => one.seriesId === seriesId) ?? none
  } catch (error) {
    if (error instanceof RelayError && error.code === 'not_found') return none
    throw error
  }
}

function impliedBy(paid: Usd6, series: SeriesRow, present: { spot: number; years: number }): number {
  const implied = impliedVolatility(series, { ...present, price: usd6ToNumber(paid) })
  if (implied !== null) return implied
  const still = dollars(fairValue(series, { ...present, volatility: 0 }))
  throw new CliError(`no volatility makes the option worth ${priceText(paid)}`, {
    why: [`it is worth ${still} without volatility`],
    hint: 'rfqctl price --help',
  })
}

const dollars = (value: number): string => priceText(toUsd6(value, 'half-up') ?? usd6(0n))

const COLUMNS: readonly Column<Valuation>[] = [
  { heading: 'VOLATILITY', cell: ({ volatility }) => `${(volatility * 100).toFixed(1)}%`, align: 'right' },
  { heading: 'VALUE', cell: ({ fairValue }) => dollars(fairValue), align: 'decimal' },
  { heading: 'DELTA', cell: ({ delta }) => delta.toFixed(3), align: 'right' },
  { heading: 'GAMMA', cell: ({ gamma }) => gamma.toFixed(3), align: 'right' },
  { heading: 'VEGA', cell: ({ vega }) => vega.toFixed(5), align: 'right' },
  { heading: 'THETA', cell: ({ theta }) => theta.toFixed(5), align: 'right' },
]
