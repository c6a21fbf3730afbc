import type { Command } from 'commander'
import { type Attach, serveOptions } from '../declare/command.ts'

export function addConfigCommands(program: Command, attach: Attach): void {
  const config = program.command('config').description('Settings')
  const view = serveOptions(
    config.command('view').description('Show every setting that serve would start with'),
  ).option('--origin', 'show where each value comes from')
  attach(view, () => import('./view.ts'), 'run', ['rfqctl config view --origin'])
}
