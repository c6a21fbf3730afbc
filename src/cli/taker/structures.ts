import { computeSeriesId, type ListedSeries, type TakerClient, type Usd6 } from '@rfqctl/client/index'
import { CliError } from '@rfqctl/lib/cli-error'
import { optionText } from '@rfqctl/lib/format'
import { isPackage, type Leg, normalPackage, type PackageOption } from '@rfqctl/protocol/domain/option'
import type { Cli, Run } from '../cli.ts'
import { isSimulated } from '../context/clients.ts'
import type { LegText } from '../declare/parse.ts'
import type { SeriesListing, SeriesRow } from '../show/series-listing.ts'
import { assertGas } from './commit.ts'
import { tradeOf } from './request.ts'
import { runTrade, type TradeOptions } from './trade.ts'

type StructureOptions = TradeOptions & { budget?: Usd6; size?: number }

/** One trade of two options of one type; `--size` sells the spread. */
export const spread: Run<StructureOptions, [bought: string, sold: string]> = (cli, options, bought, sold) =>
  tradePackage(cli, options, (find) => {
    const legs = [
      { row: find(bought), quantity: 1 },
      { row: find(sold), quantity: -1 },
    ]
    if (typesOf(legs) !== 'call call' && typesOf(legs) !== 'put put') {
      throw notThat('a spread', 'is of two calls or of two puts', legs)
    }
    return legs
  })

/** One trade of a put and a call; `--size` writes both. */
export const strangle: Run<StructureOptions, [one: string, other: string]> = (cli, options, one, other) =>
  tradePackage(cli, options, (find) => {
    const legs = [one, other].map((text) => ({ row: find(text), quantity: 1 }))
    if (typesOf(legs) !== 'put call' && typesOf(legs) !== 'call put') {
      throw notThat('a strangle', 'is of a put and a call', legs)
    }
    return legs
  })

/** Any package; `--size` writes it. */
export const anyPackage: Run<StructureOptions & { leg: LegText[] }> = (cli, options) =>
  tradePackage(cli, options, (find) => options.leg.map(({ quantity, series }) => ({ row: find(series), quantity })))

type NamedLeg = { row: SeriesRow; quantity: number }

const typesOf = (legs: readonly NamedLeg[]): string =>
  legs.map(({ row }) => (isPackage(row) ? 'package' : row.optionType)).join(' ')

const notThat = (noun: string, rule: string, legs: readonly NamedLeg[]): CliError =>
  new CliError(`${noun} ${rule}`, {
    code: 'invalid_package',
    why: [`these are ${legs.map(({ row }) => optionText(row)).join(' and ')}`],
    hint: 'name any legs: rfqctl taker package --leg +1@1 --leg -2@3 --budget 100',
  })

/** Registers the package first where it is new. */
async function tradePackage(
  cli: Cli,
  options: StructureOptions,
  choose: (find: SeriesListing['find']) => readonly NamedLeg[],
): Promise<void> {
  await runTrade(cli, options, {
    trade: tradeOf(options),
    registers: true,
    choose: async ({ rows, nameOf, find }, client) => {
      const found = packageOf(choose(find))
      const known = rows.find(({ seriesId }) => seriesId === found.seriesId)
      if (known !== undefined) return known
      if (!isSimulated(cli, options)) await register(cli, { client, found })
      return { ...found, name: nameOf(found), state: 'open' }
    },
  })
}

type Found = ListedSeries & PackageOption & { market: string }

/** Refuses with `invalid_package` legs that cannot form one. */
function packageOf(named: readonly NamedLeg[]): Found {
  const [first] = named
  if (first === undefined) throw unfit('no leg given', 'name them: --leg +1@1 --leg -1@3')
  const legs = named.map(({ row, quantity }): Leg => {
    if (isPackage(row)) throw unfit(`${row.name} is a package itself`, 'name its legs')
    if (!isSameMoment(row, first.row)) {
      throw unfit(`${row.name} and ${first.row.name} differ in market or expiry`, 'rfqctl series list')
    }
    return { optionType: row.optionType, strikeBps: row.strikeBps, quantity }
  })
  const { conditionId, yesTokenId, expiry, market } = first.row
  const terms = { conditionId, yesTokenId, expiry, ...normalPackage(legs) }
  return { ...terms, seriesId: computeSeriesId(terms), resolutionBps: null, market }
}

const isSameMoment = (a: SeriesRow, b: SeriesRow): boolean =>
  a.conditionId === b.conditionId && a.yesTokenId === b.yesTokenId && a.expiry === b.expiry

const unfit = (message: string, hint: string): CliError => new CliError(message, { code: 'invalid_package', hint })

/** Anyone may register a package. The relay is asked for it afterwards, so that it reads it. */
async function register(cli: Cli, { client, found }: { client: TakerClient; found: Found }): Promise<void> {
  const { seriesId } = found
  await assertGas(client, cli.stop)
  cli.out.note('registering the package, once for all who trade it')
  const { receipt } = await client.registerPackage({ terms: found, signal: cli.stop })
  // The relay reads an unknown series as soon as it is asked for it.
  await client.getSeries({ seriesId, signal: cli.stop })
  cli.out.print(
    { type: 'package_registered', seriesId, legs: found.legs, txHash: receipt?.transactionHash ?? null },
    `registered ${optionText(found)}`,
  )
}
