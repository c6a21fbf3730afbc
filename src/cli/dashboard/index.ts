import { type Command, Option } from 'commander'
import { type Attach, relayOptions } from '../declare/command.ts'

export function addDashboardCommand(program: Command, attach: Attach): void {
  const dashboard = relayOptions(
    program
      .command('dashboard')
      .description('Watch requests, quotes, confirmations, makers and settlement live (read-only)'),
  )
    .addOption(
      new Option('--web', 'open the dashboard as a page in a browser, signed in').conflicts([
        'once',
        'view',
        'ascii',
        'screenReader',
      ]),
    )
    .option('--once', 'print the current state and exit; needs no terminal')
    .addOption(
      new Option('--view <view>', 'the view to start with, or to print').choices([
        'requests',
        'makers',
        'confirmations',
        'settlement',
        'events',
        'health',
      ]),
    )
    .option('--ascii', 'draw with ASCII characters only')
    .option('--screen-reader', 'print sentences instead of drawing; INK_SCREEN_READER=true works too')
  attach(dashboard, () => import('./dashboard.ts'), 'run', [
    'rfqctl dashboard --once',
    'rfqctl dashboard --once --view makers --ascii',
  ])
}
