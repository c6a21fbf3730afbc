import type { Command } from 'commander'
import { type Attach, chainOptions } from '../declare/command.ts'
import { parseHash } from '../declare/parse.ts'

export function addTxCommands(program: Command, attach: Attach): void {
  const tx = program.command('tx').description('Transactions')
  const explain = chainOptions(tx.command('explain').description('Explain what a transaction did, or why it failed'))
  attach(
    explain.argument('[hash]', 'hash of the transaction (default: your newest fill)', parseHash),
    () => import('./explain.ts'),
    'run',
    ['rfqctl tx explain'],
  )
}
