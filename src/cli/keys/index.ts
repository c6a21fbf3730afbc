import type { Command } from 'commander'
import { type Attach, withExamples } from '../declare/command.ts'
import { relayOptions } from '../declare/options.ts'

/** Declares `keys`. */
export function addKeysCommands(program: Command, attach: Attach): void {
  const keys = program.command('keys').description('Maker keys of who is signed in')
  const create = relayOptions(keys.command('create').description('Make a key; its secret is shown this once'))
  attach(
    withExamples(
      create.option('--name <label>', 'a label, to know it by'),
      'rfqctl keys create --name desk-1',
      'rfqctl keys create > maker.key',
    ),
    () => import('./create.ts'),
  )
  attach(
    withExamples(relayOptions(keys.command('list').description('List active keys')), 'rfqctl keys list'),
    () => import('./list.ts'),
  )
  const revoke = relayOptions(keys.command('revoke').description('Revoke a key: it stops working at once'))
  attach(
    withExamples(
      revoke.argument('<key>', 'a row of "keys list" like @1, or its id, shortened'),
      'rfqctl keys revoke @1',
    ),
    () => import('./revoke.ts'),
  )
}
