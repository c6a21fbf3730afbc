import { CliError } from '@rfqctl/lib/cli-error'
import { drawsNothing } from '@rfqctl/relay/config/environment'
import type { Cli } from '../cli.ts'

/** Refuses where there is no terminal, or nothing would be drawn. */
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

/** Alternate screen, which preserves the terminal's content; cleared, with the cursor at the top left. */
const ENTER = '\u001b[?1049h\u001b[2J\u001b[H'

/** Previous screen, with a visible cursor. */
const LEAVE = '\u001b[?1049l\u001b[?25h'

/** Takes the whole terminal until the returned function is called or the process ends in any way but SIGKILL. */
export function enterAlternateScreen(stdout: { write: (text: string) => unknown }): () => void {
  let isIn = true
  const leave = () => {
    if (!isIn) return
    isIn = false
    process.off('exit', leave)
    stdout.write(LEAVE)
  }
  process.once('exit', leave)
  stdout.write(ENTER)
  return leave
}
