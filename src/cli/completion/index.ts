import { Argument, type Command, Option } from 'commander'
import { type Attach, withExamples } from '../declare/command.ts'
import { SHELLS } from './scripts.ts'

/** What a shell needs to complete commands, flags, wallets and requests. It looks at the whole tree. */
export function addCompletionCommand(program: Command, attach: Attach): void {
  const completion = program
    .command('completion')
    .description('Print a script that completes commands, flags, wallets and requests')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addOption(new Option('--line <text>', 'the line to complete').hideHelp())
  attach(withExamples(completion, 'rfqctl completion bash > rfqctl.bash', 'rfqctl completion zsh'), async () => {
    const { completionOf } = await import('./completion.ts')
    return completionOf(program)
  })
}
