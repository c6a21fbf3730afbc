import { type Command, Option } from 'commander'
import { type Attach, withExamples } from '../declare/command.ts'
import { relayOptions } from '../declare/options.ts'

/** Declares `login`. */
export function addLoginCommand(program: Command, attach: Attach): void {
  const login = relayOptions(program.command('login').description('Sign in, to make maker keys'))
    .addOption(
      new Option('--dev <name>', 'as anybody, on a relay of your own with the identity provider it brings').conflicts(
        'tokenStdin',
      ),
    )
    .option('--token-stdin', 'with an access token of your identity provider, read from stdin')
  attach(withExamples(login, 'rfqctl login --dev ada'), () => import('./login.ts'))
}
