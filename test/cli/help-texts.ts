import type { Command } from 'commander'
import { buildProgram } from '../../src/cli/program.ts'
import { createOutput } from '../../src/cli/terminal/output.ts'
import { NOWHERE, run } from './support.ts'

/** A command of the tree by its words, '' for the program itself. */
export type CommandLine = { path: string; isLeaf: boolean }

/** The tree of commands itself, bound to nothing. */
export function commandTree(): Command {
  const sink = { write: () => {} }
  const out = createOutput({ stdout: sink, stderr: sink, isJson: false, allowsColor: false })
  const stop = new AbortController().signal
  return buildProgram(
    {
      out,
      program: 'rfqctl',
      environment: {},
      cwd: '/nonexistent',
      stop,
      defaults: NOWHERE,
      readStdin: async () => '',
    },
    { stdout: sink, stderr: sink },
  )
}

export const commandLines = async (): Promise<CommandLine[]> => walk(commandTree(), '')

/** The words of a line as a shell splits it; what stands in double quotes is one. */
export const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')

/** The examples in the help of a command, as they would be pasted. */
export async function examplesOf(path: string): Promise<string[]> {
  const { stdout } = await run([...path.split(' '), '--help'])
  const [, examples = ''] = stdout.split('\nExamples:\n')
  return [...examples.matchAll(/^ {2}\$ (.+)$/gm)].map(([, example = '']) => example)
}

function walk(command: Command, path: string): CommandLine[] {
  const children = command.commands.flatMap((child) => walk(child, `${path} ${child.name()}`.trim()))
  return [{ path, isLeaf: children.length === 0 }, ...children]
}
