import { type Command, Option } from 'commander'
import { type Attach, withExamples } from './command.ts'
import { relayOptions } from './options.ts'

/** Who one is, and the maker keys that one has. */
export function addAccountCommands(program: Command, attach: Attach): void {
  const login = relayOptions(program.command('login').description('Sign in, to make maker keys'))
    .addOption(
      new Option('--dev <name>', 'as anybody, on a relay of your own with the identity provider it brings').conflicts(
        'tokenStdin',
      ),
    )
    .option('--token-stdin', 'with an access token of your identity provider, read from stdin')
  attach(withExamples(login, 'rfqctl login --dev ada'), () => import('../commands/login.ts'))

  const keys = program.command('keys').description('Maker keys of who is signed in')
  const create = relayOptions(keys.command('create').description('Make a key; its secret is shown this once'))
  attach(
    withExamples(
      create.option('--name <label>', 'a label, to know it by'),
      'rfqctl keys create --name desk-1',
      'rfqctl keys create > maker.key',
    ),
    () => import('../commands/keys-create.ts'),
  )
  attach(
    withExamples(relayOptions(keys.command('list').description('List active keys')), 'rfqctl keys list'),
    () => import('../commands/keys-list.ts'),
  )
  const revoke = relayOptions(keys.command('revoke').description('Revoke a key: it stops working at once'))
  attach(
    withExamples(
      revoke.argument('<key>', 'a row of "keys list" like @1, or its id, shortened'),
      'rfqctl keys revoke @1',
    ),
    () => import('../commands/keys-revoke.ts'),
  )
}
