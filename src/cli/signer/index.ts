import type { Command } from 'commander'
import { type Attach, chainOptions, keyOptions } from '../declare/command.ts'

export function addSignerCommands(program: Command, attach: Attach): void {
  const signer = program.command('signer').description('The key that signs resolution prices, in its own process')
  const serve = chainOptions(
    keyOptions(
      signer
        .command('serve')
        .description('Sign resolutions for a relay on this machine, within limits of its own')
        .option('--account <name>', 'wallet by its name in "rfqctl wallet list"'),
    ),
  )
    .option(
      '--socket <path>',
      'where it listens (default: RESOLUTION_SIGNER_SOCKET, or signer.sock in the data directory)',
    )
    .option('--group-access', 'let the group of this process open the socket, for a relay of another user')
  attach(serve, () => import('./serve.ts'), 'serve', ['rfqctl signer serve --account registrar'])
}
