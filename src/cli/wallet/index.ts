import { type Command, Option } from 'commander'
import { type Attach, withExamples } from '../declare/command.ts'

/** Wallets of one's own: keys that are kept under a password. */
export function addWalletCommands(program: Command, attach: Attach): void {
  const wallet = program.command('wallet').description('Wallets of your own, each a key kept under a password')
  const named = (command: Command) => command.argument('<name>', 'what --account calls it')

  const create = named(wallet.command('create').description('Make a key and keep it under a password'))
  attach(withExamples(create, 'rfqctl wallet create desk'), () => import('./create.ts'))

  const bring = named(wallet.command('import').description('Keep a key that you have under a password'))
    .addOption(new Option('--key-file <path>', 'file with a private key, plain or a keystore').conflicts('keyStdin'))
    .addOption(new Option('--key-stdin', 'read a private key or a keystore from stdin'))
  attach(withExamples(bring, 'rfqctl wallet import old-desk --key-file wallet.key'), () => import('./import.ts'))

  const list = wallet.command('list').description('List the wallets that --account can name')
  attach(withExamples(list, 'rfqctl wallet list'), () => import('./list.ts'))
}
