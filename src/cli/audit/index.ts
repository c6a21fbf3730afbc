import type { Command } from 'commander'
import { type Attach, relayOptions } from '../declare/command.ts'

export function addAuditCommand(program: Command, attach: Attach): void {
  const audit = relayOptions(
    program
      .command('audit')
      .description('Show the audit log of a request: quotes, refusals, who was asked and who signed'),
  )
    .argument(
      '[request]',
      'a requestId, or of your own a row of the last "taker requests" such as @1, or a shortened requestId (default: your newest request)',
    )
    .option('--ascii', 'ASCII characters only')
  attach(audit, () => import('./audit.ts'), 'run', ['rfqctl audit'])
}
