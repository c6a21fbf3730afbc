import { afterAll, onTestFinished } from 'vitest'
import type { Defaults } from '../../src/cli/cli.ts'
import { runCli } from '../../src/cli/run-cli.ts'
import type { Environment } from '../../src/relay/config/sources.ts'
import { newFolder, removeFolder } from '../kit/folder.ts'

/** Where commands look that were told of no relay and no chain: never where a sandbox of the machine may listen. */
export const NOWHERE: Defaults = { relayUrl: 'http://127.0.0.1:2', rpcUrl: 'http://127.0.0.1:2' }

export type Ran = { code: number; stdout: string; stderr: string }

/** Runs a command line in this process, off a terminal. */
export async function run(
  argv: readonly string[],
  options: {
    environment?: Environment
    cwd?: string
    stop?: AbortSignal
    isTTY?: boolean
    stdin?: string
    askSecret?: (question: string) => Promise<string>
    ask?: (question: string) => Promise<string>
    onStdout?: (text: string) => void
    onStderr?: (text: string) => void
  } = {},
): Promise<Ran> {
  const written = { stdout: '', stderr: '' }
  const sink = (name: 'stdout' | 'stderr') => ({
    isTTY: options.isTTY ?? false,
    write: (text: string) => {
      written[name] += text
      if (name === 'stdout') options.onStdout?.(text)
      else options.onStderr?.(text)
    },
  })
  const code = await runCli(argv, {
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    environment: options.environment ?? {},
    defaults: NOWHERE,
    cwd: options.cwd ?? '/nonexistent',
    stop: options.stop ?? new AbortController().signal,
    readStdin: async () => options.stdin ?? '',
    ...(options.askSecret === undefined ? {} : { askSecret: options.askSecret }),
    ...(options.ask === undefined ? {} : { ask: options.ask }),
  })
  return { code, ...written }
}

/** A directory that is gone after all tests of the file. */
export function temporaryDirOfFile(): string {
  const path = newFolder()
  afterAll(() => removeFolder(path))
  return path
}

/** A directory that is gone after the test. */
export function temporaryDir(): string {
  const path = newFolder()
  onTestFinished(() => removeFolder(path))
  return path
}
