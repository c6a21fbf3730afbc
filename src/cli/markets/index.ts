import { type Command, Option } from 'commander'
import { type Attach, accountOptions, chainOptions, relayOptions, withExamples } from '../declare/command.ts'
import {
  parseCadences,
  parseConditions,
  parseCountUpTo,
  parseOptionTypes,
  parseSourceUrl,
  parseStrikes,
} from '../declare/parse-listing.ts'

const GAMMA = 'https://gamma-api.polymarket.com/markets'

export function addMarketsCommands(program: Command, attach: Attach): void {
  const markets = program.command('markets').description('Prediction markets')
  attach(
    withExamples(relayOptions(markets.command('list').description('List all markets')), 'rfqctl markets list'),
    async () => (await import('./list.ts')).run,
  )
  const load = ruleOptions(
    markets.command('import').description('Plan the series of markets of a public API, and register them'),
  )
    .addOption(
      new Option('--max-series <count>', 'most series that one run registers')
        .argParser(parseCountUpTo(500))
        .default(100),
    )
    .addOption(new Option('--apply', 'register what is missing; without it nothing is sent').conflicts('calldata'))
    .option('--calldata', 'send nothing: print the calls as a Safe batch, for a multi-signature wallet')
    .option('--safe <address>', 'with --calldata: the wallet that will send it (default: the registrar)')
  attach(
    withExamples(
      accountOptions(chainOptions(relayOptions(load)), 'registrar'),
      `rfqctl markets import --from ${GAMMA} --query "bitcoin" --strikes 25,50,75 --expiries weekly,monthly`,
      `rfqctl markets import --condition-id 0x${'7e'.repeat(32)} --strikes 50 --expiries weekly --apply --key-file registrar.json`,
    ),
    async () => (await import('./import.ts')).run,
  )
}

export const ruleOptions = (command: Command): Command =>
  command
    .addOption(new Option('--from <url>', 'where markets come from (default: MARKETS_URL)').argParser(parseSourceUrl))
    .option('--query <text>', 'markets whose question has each of these words, the most traded first')
    .addOption(
      new Option('--condition-id <hex>', 'the market of this condition; more than once for several')
        .argParser(parseConditions)
        .conflicts('query'),
    )
    .addOption(
      new Option('--max-markets <count>', 'most markets of a query').argParser(parseCountUpTo(100)).default(20),
    )
    .addOption(
      new Option('--strikes <cents>', 'strikes in cents, such as 25,50,75')
        .argParser(parseStrikes)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--expiries <list>', 'the next daily, weekly or monthly expiry, or several of them')
        .argParser(parseCadences)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--types <list>', 'call, put or both')
        .argParser(parseOptionTypes)
        .default(['call', 'put'], 'call,put'),
    )
