import type { Command } from 'commander'
import { type Attach, relayOptions } from '../declare/command.ts'

export function addFaucetCommand(program: Command, attach: Attach): void {
  const faucet = relayOptions(
    program.command('faucet').description('Get test dollars for a wallet; in the sandbox, coin for gas too'),
  )
    .argument('[wallet]', 'an address (default: the wallet of --account)')
    .option('--account <name>', 'wallet by its name in "rfqctl wallet list"', 'taker-1')
  attach(faucet, () => import('./faucet.ts'), 'run', ['rfqctl faucet'])
}
