import type { Command } from 'commander'
import { type Attach, relayOptions, withExamples } from '../declare/command.ts'

export function addKeysCommands(program: Command, attach: Attach): void {
  const keys = program.command('keys').description('Manage your maker API keys')
  const create = relayOptions(keys.command('create').description('Create a key; its secret is shown only once'))
  attach(
    withExamples(
      create
        .option('--name <label>', 'label to recognize the key by')
        .option('--as <maker-id>', 'name of your maker, which you choose with your first key and keep'),
      'rfqctl keys create --as ada',
      'rfqctl keys create --name bot-1',
      'rfqctl keys create > maker.key',
    ),
    async () => (await import('./keys.ts')).createKey,
  )
  attach(
    withExamples(relayOptions(keys.command('list').description('List active keys')), 'rfqctl keys list'),
    async () => (await import('./keys.ts')).listKeys,
  )
  const revoke = relayOptions(keys.command('revoke').description('Revoke a key: it stops working at once'))
  attach(
    withExamples(
      revoke.argument('<key>', 'a row of the last "keys list" such as @1, or its id, which may be shortened'),
      'rfqctl keys revoke @1',
    ),
    async () => (await import('./keys.ts')).revokeKey,
  )
}
