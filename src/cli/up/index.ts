import type { Command } from 'commander'
import { type Attach, withExamples } from '../declare/command.ts'
import { serveOptions } from '../declare/options.ts'
import { parseCount, parseSeed } from '../declare/parse.ts'

/** Declares `up`. */
export function addUpCommand(program: Command, attach: Attach): void {
  const up = serveOptions(
    program.command('up').description('Start a whole market: chain, contracts, series, relay and simulated makers'),
  )
    .option('--makers <count>', 'simulated makers', parseCount, 3)
    .option('--nodes <count>', 'relays behind one address; several share a Postgres and a Redis', parseCount, 1)
    .option('--seed <number>', 'the makers behave alike for equal seeds', parseSeed, 1)
    .option('--busy', 'simulated takers too, so that there is something to watch at once')
    .option('--dashboard', 'then show the dashboard; quitting it ends everything')
  attach(withExamples(up, 'rfqctl up'), () => import('./up.ts'))
}
