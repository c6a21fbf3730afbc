import type { Command, Option } from 'commander'
import { commandTree, examplesOf, wordsOf } from '../help-texts.ts'

/** A command that does something: its words, what it takes, and a line that is good, the first example of its help. */
export type Leaf = { path: string; words: readonly string[]; command: Command; good: readonly string[] }

export async function leaves(): Promise<Leaf[]> {
  return Promise.all(
    leavesOf(commandTree(), []).map(async ({ command, words }) => {
      const path = words.join(' ')
      const [example = ''] = await examplesOf(path)
      const good = wordsOf(example.split(' > ')[0] ?? '').slice(1)
      return { path, words, command, good }
    }),
  )
}

/** Whether a command takes an option, by its long name. */
export const takes =
  (long: string) =>
  ({ command }: Leaf): boolean =>
    command.options.some((option: Option) => option.long === long)

function leavesOf(command: Command, words: readonly string[]): { command: Command; words: readonly string[] }[] {
  return command.commands.length === 0
    ? [{ command, words }]
    : command.commands.flatMap((child) => leavesOf(child, [...words, child.name()]))
}
