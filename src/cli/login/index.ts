import { type Command, Option } from 'commander'
import { type Attach, relayOptions } from '../declare/command.ts'

export function addLoginCommand(program: Command, attach: Attach): void {
  const login = relayOptions(program.command('login').description('Sign in to manage maker API keys'))
    .addOption(
      new Option('--dev <name>', 'as any user, on your own relay with its built-in identity provider').conflicts(
        'tokenStdin',
      ),
    )
    .option('--token-stdin', 'with an access token from your identity provider, read from stdin')
  attach(login, () => import('./login.ts'), 'login', ['rfqctl login --dev ada'])
}
