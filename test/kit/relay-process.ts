import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from './build.ts'

/** The first line that `serve --json` writes (decision Z1). */
export type Ready = {
  type: 'ready'
  url: string
  wsUrl: string
  rpcUrl: string | null
  chainId: number
  settlementAddress: string
  coreAddress: string
  stablecoinAddress: string
  resolutionSigner: string | null
  dataDir: string
}

/** How a process ended. */
export type Exit = { code: number | null; signal: NodeJS.Signals | null }

/** A relay in a process of its own. */
export type RelayProcess = {
  ready: Ready
  pid: number
  /** All that it has written so far. */
  output: () => { stdout: string; stderr: string }
  exited: Promise<Exit>
  signal: (name: NodeJS.Signals) => void
  /** Ends it, gently first, and removes the data dir if it was made for it. */
  stop: () => Promise<Exit>
}

type Options = {
  flags?: readonly string[]
  env?: Readonly<Record<string, string>>
  /** A folder to keep; absent: one of its own, removed with it. */
  dataDir?: string
  /** The folder of another build; absent: this one's. */
  root?: string
  /** A program and its arguments that start it in their turn: `prlimit --nofile=1024`. */
  through?: readonly string[]
}

/** Longer than a drain may last (decision Z1). */
const STOP_MS = 25_000

/** Starts `node bin/rfqctl.js` with arguments, in an environment that holds nothing but what is given. */
export function spawnRfqctl(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  root = ROOT,
  through: readonly string[] = [],
) {
  const { PATH = '', HOME = '' } = process.env
  const [program, ...rest] = [...through, process.execPath, join(root, 'bin', 'rfqctl.js'), ...args]
  const child = spawn(program as string, rest, {
    cwd: tmpdir(),
    // All tests are one address.
    env: {
      PATH,
      HOME,
      NO_COLOR: '1',
      REQUEST_RATE_PER_ADDRESS: '0',
      MAX_OPEN_REQUESTS_PER_ADDRESS: '0',
      MAX_CONNECTIONS_PER_ADDRESS: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (output.stdout += chunk))
  child.stderr.on('data', (chunk) => (output.stderr += chunk))
  const exited = new Promise<Exit>((resolve) => child.on('close', (code, signal) => resolve({ code, signal })))
  return { child, output, exited }
}

/** Starts a relay on a free port and resolves when its ready line was read. */
export async function startRelay({
  flags = [],
  env = {},
  dataDir,
  root,
  through,
}: Options = {}): Promise<RelayProcess> {
  const dir = dataDir ?? mkdtempSync(join(tmpdir(), 'rfqctl-conformance-'))
  const args = ['serve', '--json', '--port', '0', '--data-dir', dir, ...flags]
  const { child, output, exited } = spawnRfqctl(args, env, root, through)
  const ready = await readyLine(child, exited, output)
  const signal = (name: NodeJS.Signals) => void child.kill(name)
  return {
    ready,
    pid: child.pid as number,
    output: () => output,
    exited,
    signal,
    stop: async () => {
      signal('SIGTERM')
      const timer = setTimeout(signal, STOP_MS, 'SIGKILL')
      const exit = await exited
      clearTimeout(timer)
      if (dataDir === undefined) rmSync(dir, { recursive: true, force: true })
      return exit
    },
  }
}

function readyLine(
  child: ChildProcess,
  exited: Promise<Exit>,
  output: { stdout: string; stderr: string },
): Promise<Ready> {
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', () => {
      const [line, ...rest] = output.stdout.split('\n')
      if (rest.length > 0) resolve(JSON.parse(line as string))
    })
    void exited.then(({ code }) => reject(new Error(`serve ended with ${code}:\n${output.stderr}`)))
  })
}
