import type { Command } from 'commander'
import { type Attach, chainOptions, keyOptions, relayOptions } from '../declare/command.ts'
import { parseResolution } from '../declare/parse.ts'
import { SERIES } from '../series/index.ts'

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
      'where it listens (default: RESOLUTION_SIGNER_SOCKET if that is one, or signer.sock in the data directory)',
    )
    .option('--group-access', 'let the group of this process open the socket, for a relay of another user')
  attach(serve, () => import('./serve.ts'), 'serve', ['rfqctl signer serve --account registrar'])

  const agree = chainOptions(
    relayOptions(
      signer.command('agree').description('Book the price that a person decided, which the signer then signs alone'),
    ),
  )
    .argument('<series>', SERIES)
    .requiredOption('--price <usd>', 'what its YES token was worth at expiry, 0 to 1 in whole cents', parseResolution)
    .option('--yes', 'book it without a question')
  attach(agree, () => import('./agree.ts'), 'agree', ['rfqctl signer agree @1 --price 0.45'])
}
