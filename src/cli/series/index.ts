import { type Command, Option } from 'commander'
import { type Attach, accountOptions, chainOptions, relayOptions } from '../declare/command.ts'
import { parseDuration, parseHash, parseStrikeBps, parseUint256Text, parseUtcTime } from '../declare/parse.ts'

export const COLLATERAL = [
  '--collateral <address>',
  "token by which the market's positions are collateralised, for a core with a conditional-token contract",
] as const

export const SERIES = 'a row of the last "series list" such as @1, or a name or seriesId, which may be shortened'

export function addSeriesCommands(program: Command, attach: Attach): void {
  const series = program.command('series').description('Option series')
  const list = relayOptions(series.command('list').description('List option series, tradable ones first'))
    .option(
      '--market <market>',
      'only this market: a row of the last "markets list" such as @1, or its conditionId, which may be shortened',
    )
    .addOption(new Option('--type <type>', 'only these').choices(['call', 'put', 'package']))
    .addOption(
      new Option('--settled <yes|no>', 'only settled or only unsettled series (default: no)').choices(['yes', 'no']),
    )
    .option('--all', 'include settled series')
  attach(list, () => import('./list.ts'), 'listSeries', [
    'rfqctl series list',
    'rfqctl series list --market @1 --type call',
  ])
  const get = relayOptions(series.command('get').description('Show one series'))
  attach(get.argument('<series>', SERIES), () => import('./list.ts'), 'getSeries', ['rfqctl series get @1'])
  const create = chainOptions(relayOptions(series.command('create').description('Register a new series on chain')))
    .argument('[market]', 'a row of the last "markets list" such as @1, or a conditionId, which may be shortened')
    .requiredOption('--strike-bps <bps>', 'strike in hundredths of a percent of $1, 1 to 9999', parseStrikeBps)
    .addOption(
      new Option('--expires-in <duration>', 'time to expiry, such as 90s, 1h or 2d')
        .argParser(parseDuration)
        .conflicts('expires'),
    )
    .option('--expires <time>', 'expiry in UTC, such as 2026-12-01T00:00Z', parseUtcTime)
    .option('--condition-id <hex>', 'condition of a market that is not listed yet', parseHash)
    .option('--yes-token <id>', 'YES token of a market that is not listed yet, in decimal', parseUint256Text)
    .option(...COLLATERAL)
    .addOption(new Option('--type <type>', 'call or put').choices(['call', 'put']).makeOptionMandatory())
  attach(accountOptions(create, 'registrar'), () => import('./create.ts'), 'run', [
    'rfqctl series create @1 --type call --strike-bps 4500 --expires-in 2h',
    `rfqctl series create --condition-id 0x${'7e'.repeat(32)} --yes-token 4242 --type put --strike-bps 2500 --expires-in 1d`,
  ])
}
