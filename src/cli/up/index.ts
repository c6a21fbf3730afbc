import { type Command, Option } from 'commander'
import { type Attach, serveOptions } from '../declare/command.ts'
import { parseCount, parseDurationOrNever, parseSeed } from '../declare/parse.ts'

export function addUpCommand(program: Command, attach: Attach): void {
  const up = serveOptions(
    program.command('up').description('Start a whole market: chain, contracts, series, relay and simulated makers'),
  )
    .option('--makers <count>', 'number of simulated makers', parseCount, 3)
    .option('--nodes <count>', 'number of relays behind one address; several share Postgres and Redis', parseCount, 1)
    .option('--seed <number>', 'equal seeds make the makers behave the same', parseSeed, 1)
    .option('--busy', 'also run simulated takers, so there is something to watch')
    .option('--open', 'open the page to trade on in a browser')
    .addOption(
      new Option(
        '--settle-after <duration>',
        'how long what has expired is left to you before it is settled, or "never"',
      )
        .argParser(parseDurationOrNever)
        .default(60_000, '1m'),
    )
    .option('--dashboard', 'show the dashboard; quitting it stops everything')
  attach(up, () => import('./up.ts'), 'run', ['rfqctl up', 'rfqctl up --open'])
}
