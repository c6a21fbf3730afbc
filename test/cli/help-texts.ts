import type { Command } from 'commander'
import { createOutput } from '../../src/cli/output.ts'
import { buildProgram } from '../../src/cli/program.ts'
import { run } from './support.ts'

/** A command of the tree by its words, '' for the program itself. */
export type CommandLine = { path: string; isLeaf: boolean }

/** Every command of the tree. */
export async function commandLines(): Promise<CommandLine[]> {
  const sink = { write: () => {} }
  const out = createOutput({ stdout: sink, stderr: sink, isJson: false, allowsColor: false })
  const stop = new AbortController().signal
  const program = buildProgram(
    { out, environment: {}, cwd: '/nonexistent', stop, readStdin: async () => '' },
    { stdout: sink, stderr: sink },
  )
  return walk(program, '')
}

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
