import { Argument, type Command, Option } from 'commander'
import type { Attach } from '../declare/command.ts'
import { SHELLS } from './scripts.ts'

export function addCompletionCommand(program: Command, attach: Attach): void {
  const completion = program
    .command('completion')
    .description(
      'Print a script that completes commands, flags, wallets, requests and rows such as @1 of the lists last shown',
    )
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addOption(new Option('--line <text>', 'the line to complete').hideHelp())
  const load = async () => ({ print: (await import('./completion.ts')).completionOf(program) })
  attach(completion, load, 'print', ['rfqctl completion bash > rfqctl.bash', 'rfqctl completion zsh'])
}
