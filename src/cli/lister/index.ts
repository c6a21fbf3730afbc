import { type Command, Option } from 'commander'
import {
  type Attach,
  accountOptions,
  chainOptions,
  coinOption,
  gasPriceOption,
  relayOptions,
} from '../declare/command.ts'
import { parseDuration, parseDurationUpTo } from '../declare/parse.ts'
import { parseCountUpTo, parseSourceUrl } from '../declare/parse-listing.ts'
import { ruleOptions } from '../markets/index.ts'
import { COLLATERAL } from '../series/index.ts'

const EXAMPLE = 'rfqctl lister run --query "bitcoin" --strikes 25,50,75 --expiries weekly,monthly'

export function addListerCommands(program: Command, attach: Attach): void {
  const lister = program.command('lister').description('Keep markets listed')
  const run = ruleOptions(
    lister.command('run').description('Register series as expiries come up, and halt those of markets without prices'),
  )
    .option('--prices <url>', 'where prices come from (default: PRICE_HISTORY_URL)', parseSourceUrl)
    .addOption(
      new Option('--quiet <duration>', 'time without a price after which series are halted, at most 7d')
        .argParser(parseDurationUpTo('7d'))
        .default(3_600_000, '1h'),
    )
    .option('--max-series <count>', 'most series that one round registers', parseCountUpTo(500), 50)
  const kept = accountOptions(chainOptions(relayOptions(run)), 'registrar')
    .option(...COLLATERAL)
    .option('--halter <name>', 'wallet that halts, by its name (default: the one that registers, where it may)')
    .addOption(
      new Option('--halter-key-file <path>', 'file with its private key, plain or a keystore').conflicts('halter'),
    )
    .addOption(gasPriceOption('most that is paid for a unit of gas'))
    .addOption(coinOption('most of the coin that gas may cost each wallet within 24 hours'))
    .addOption(new Option('--every <duration>', 'pause between rounds').argParser(parseDuration).default(300_000, '5m'))
    .option('--for <duration>', 'stop after this time (default: at Ctrl-C)', parseDuration)
    .addOption(new Option('--once', 'run one round, then exit').conflicts('for'))
  attach(kept, () => import('./run.ts'), 'run', [EXAMPLE, `${EXAMPLE} --once`])
}
