import type { Command, OptionValues } from 'commander'
import type { Cli } from '../cli.ts'

/** What does the work of a command that an `index.ts` declares: some `Run` of its options and arguments. */
export type Verb = (cli: Cli, options: never, ...args: never[]) => Promise<void>

/** Joins a declared command to its verb, which is loaded when it is needed. */
export type Attach = (command: Command, load: () => Promise<Verb>) => Command

/** An `Attach` that runs verbs with `cli`. Commander hands an action its arguments, its options and the command. */
export const attachWith =
  (cli: Cli): Attach =>
  (command, load) =>
    command.action(async (...all: unknown[]) => {
      const args = all.slice(0, -2)
      const run = (await load()) as (cli: Cli, options: OptionValues, ...args: unknown[]) => Promise<void>
      await run(cli, command.optsWithGlobals(), ...args)
    })

/** Examples under the help of a command. Each works when pasted into a shell beside a running sandbox. */
export const withExamples = (command: Command, ...examples: readonly string[]): Command =>
  command.addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ ${example}`).join('\n')}`)
