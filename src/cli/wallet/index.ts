import { type Command, Option } from 'commander'
import { type Attach, sendOptions } from '../declare/command.ts'

/** Keys of one's own, kept under a password. */
export function addWalletCommands(program: Command, attach: Attach): void {
  const wallet = program.command('wallet').description('Your own wallets, each a key protected by a password')
  const named = (command: Command) => command.argument('<name>', 'name of the wallet for --account')

  const create = named(wallet.command('create').description('Create a key protected by a password'))
  attach(create, () => import('./wallet.ts'), 'createWallet', ['rfqctl wallet create main'])

  const bring = named(wallet.command('import').description('Import a key and protect it with a password'))
    .addOption(new Option('--key-file <path>', 'file with a private key, plain or a keystore').conflicts('keyStdin'))
    .option('--key-stdin', 'read a private key or a keystore from stdin')
  attach(bring, () => import('./wallet.ts'), 'importWallet', ['rfqctl wallet import old --key-file wallet.key'])

  const address = named(wallet.command('address').description('Print the address of a wallet'))
  attach(address, () => import('./wallet.ts'), 'printAddress', ['rfqctl wallet address main'])

  const revoke = sendOptions(
    wallet.command('revoke').description('Withdraw what a wallet has approved to former contracts'),
    'taker-1',
  ).argument('[settlement]', 'settlement contract (default: every former one that is known here)')
  attach(revoke, () => import('./revoke.ts'), 'revoke', ['rfqctl wallet revoke --account main'])

  const list = wallet.command('list').description('List the wallets that --account can name')
  attach(list, () => import('./wallet.ts'), 'listWallets', ['rfqctl wallet list'])
}
