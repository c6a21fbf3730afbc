import { type Command, Option } from 'commander'
import { type Attach, withExamples } from '../declare/command.ts'

/** Keys of one's own, kept under a password. */
export function addWalletCommands(program: Command, attach: Attach): void {
  const wallet = program.command('wallet').description('Your own wallets, each a key protected by a password')
  const named = (command: Command) => command.argument('<name>', 'name of the wallet for --account')

  const create = named(wallet.command('create').description('Create a key protected by a password'))
  attach(withExamples(create, 'rfqctl wallet create main'), async () => (await import('./wallet.ts')).createWallet)

  const bring = named(wallet.command('import').description('Import a key and protect it with a password'))
    .addOption(new Option('--key-file <path>', 'file with a private key, plain or a keystore').conflicts('keyStdin'))
    .addOption(new Option('--key-stdin', 'read a private key or a keystore from stdin'))
  attach(
    withExamples(bring, 'rfqctl wallet import old --key-file wallet.key'),
    async () => (await import('./wallet.ts')).importWallet,
  )

  const address = named(wallet.command('address').description('Print the address of a wallet'))
  attach(withExamples(address, 'rfqctl wallet address main'), async () => (await import('./wallet.ts')).printAddress)

  const list = wallet.command('list').description('List the wallets that --account can name')
  attach(withExamples(list, 'rfqctl wallet list'), async () => (await import('./wallet.ts')).listWallets)
}
