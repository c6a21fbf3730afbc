import type { Command } from 'commander'
import { type Attach, relayOptions } from '../declare/command.ts'

export function addKeysCommands(program: Command, attach: Attach): void {
  const keys = program.command('keys').description('Manage your maker API keys')
  const create = relayOptions(keys.command('create').description('Create a key; its secret is shown only once'))
  attach(
    create
      .option('--name <label>', 'label to recognize the key by')
      .option('--as <maker-id>', 'name of your maker, which you choose with your first key and keep'),
    () => import('./keys.ts'),
    'createKey',
    ['rfqctl keys create --as ada', 'rfqctl keys create --name bot-1', 'rfqctl keys create > maker.key'],
  )
  attach(relayOptions(keys.command('list').description('List active keys')), () => import('./keys.ts'), 'listKeys', [
    'rfqctl keys list',
  ])
  const revoke = relayOptions(keys.command('revoke').description('Revoke a key: it stops working at once'))
  attach(
    revoke.argument('<key>', 'a row of the last "keys list" such as @1, or its id, which may be shortened'),
    () => import('./keys.ts'),
    'revokeKey',
    ['rfqctl keys revoke @1'],
  )
}
