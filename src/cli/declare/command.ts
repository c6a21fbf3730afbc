import type { Command, OptionValues } from 'commander'
import type { Cli } from '../cli.ts'

/** A command as an `index.ts` declares it: its words and options, and the module that does the work, loaded when it is needed. */
export type CommandModule = { run: (cli: Cli, options: never, ...args: never[]) => Promise<void> }

/** Joins a declared command to its module. */
export type Attach = (command: Command, load: () => Promise<CommandModule>) => Command

/** An `Attach` that runs modules with `cli`. Commander hands an action its arguments, its options and the command. */
export const attachWith =
  (cli: Cli): Attach =>
  (command, load) =>
    command.action(async (...all: unknown[]) => {
      const args = all.slice(0, -2)
      const run = (await load()).run as (cli: Cli, options: OptionValues, ...args: unknown[]) => Promise<void>
      await run(cli, command.optsWithGlobals(), ...args)
    })

/** Examples under the help of a command. Each works when pasted into a shell beside a running sandbox. */
export const withExamples = (command: Command, ...examples: readonly string[]): Command =>
  command.addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ ${example}`).join('\n')}`)
