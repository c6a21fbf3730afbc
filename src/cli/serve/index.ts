import type { Command } from 'commander'
import { type Attach, serveOptions } from '../declare/command.ts'

export function addServeCommand(program: Command, attach: Attach): void {
  const serve = serveOptions(program.command('serve').description('Start the relay, by default on its own chain'))
  attach(serve, () => import('./serve.ts'), 'run', ['rfqctl serve', 'rfqctl serve --memory --no-chain --port 0 --json'])
}
