import { type Command, Option } from 'commander'
import { type Attach, accountOptions, chainOptions, relayOptions } from '../declare/command.ts'
import {
  parseCadences,
  parseConditions,
  parseCountUpTo,
  parseOptionTypes,
  parseSourceUrl,
  parseStrikes,
} from '../declare/parse-listing.ts'
import { COLLATERAL } from '../series/index.ts'

const GAMMA = 'https://gamma-api.polymarket.com/markets'

export function addMarketsCommands(program: Command, attach: Attach): void {
  const markets = program.command('markets').description('Prediction markets')
  attach(relayOptions(markets.command('list').description('List all markets')), () => import('./list.ts'), 'run', [
    'rfqctl markets list',
  ])
  const load = ruleOptions(
    markets.command('import').description('Plan the series of markets of a public API, and register them'),
  )
    .option('--max-series <count>', 'most series that one run registers', parseCountUpTo(500), 100)
    .option(...COLLATERAL)
    .addOption(new Option('--apply', 'register what is missing; without it nothing is sent').conflicts('calldata'))
    .option('--calldata', 'send nothing: print the calls as a Safe batch, for a multi-signature wallet')
    .option('--safe <address>', 'with --calldata: the wallet that will send it (default: the registrar)')
  attach(accountOptions(chainOptions(relayOptions(load)), 'registrar'), () => import('./import.ts'), 'run', [
    `rfqctl markets import --from ${GAMMA} --query "bitcoin" --strikes 25,50,75 --expiries weekly,monthly`,
    `rfqctl markets import --condition-id 0x${'7e'.repeat(32)} --strikes 50 --expiries weekly --apply --key-file registrar.json`,
  ])
}

export const ruleOptions = (command: Command): Command =>
  command
    .option('--from <url>', 'where markets come from (default: MARKETS_URL)', parseSourceUrl)
    .option('--query <text>', 'markets whose question has each of these words, the most traded first')
    .addOption(
      new Option('--condition-id <hex>', 'the market of this condition; more than once for several')
        .argParser(parseConditions)
        .conflicts('query'),
    )
    .option('--max-markets <count>', 'most markets of a query', parseCountUpTo(100), 20)
    .requiredOption('--strikes <cents>', 'strikes in cents, such as 25,50,75', parseStrikes)
    .requiredOption('--expiries <list>', 'the next daily, weekly or monthly expiry, or several of them', parseCadences)
    .addOption(
      new Option('--types <list>', 'call, put or both')
        .argParser(parseOptionTypes)
        .default(['call', 'put'], 'call,put'),
    )
