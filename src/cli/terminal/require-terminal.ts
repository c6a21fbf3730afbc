import { drawsNothing } from '../../config/environment.ts'
import { CliError } from '../../lib/cli-error.ts'
import type { Cli } from '../cli.ts'

/** The terminal that a dashboard can be drawn on. Refuses where there is none, or nothing would be drawn. */
export function requireTerminal({ terminal, environment }: Cli): NonNullable<Cli['terminal']> {
  if (terminal === undefined) {
    throw new CliError('the dashboard needs a terminal', {
      hint: 'rfqctl dashboard --once, or --json for a stream of events',
    })
  }
  if (!drawsNothing(environment)) return terminal
  throw new CliError('in continuous integration, nothing is drawn until the end', {
    why: ['the environment sets CI'],
    hint: 'rfqctl dashboard --once, or run it without CI',
  })
}
