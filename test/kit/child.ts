import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { ROOT } from './build.ts'

/** How a process ended. */
export type Exit = { code: number | null; signal: NodeJS.Signals | null }

/** A process with all that it wrote. */
export type Child = {
  pid: number
  process: ChildProcess
  /** What it wrote so far. */
  stdout: () => string
  stderr: () => string
  /** Resolves when stdout or stderr has it, and fails when the process ends first. */
  says: (text: string | RegExp) => Promise<void>
  /** What the line on stdout says that a service writes for programs when it is ready. */
  ready: <Ready>() => Promise<Ready>
  signal: (name: NodeJS.Signals) => void
  exited: Promise<Exit>
  /** The exit code; -1 when a signal ended it. */
  ended: Promise<number>
  /** What it left behind when it has ended. */
  left: () => Promise<{ code: number | null; stdout: string; stderr: string }>
}

const READY = /^\{"type":"ready".*\}\n/m

/** Starts a program in an environment that holds nothing but what is given. */
export function spawnProgram(
  [program = '', ...args]: readonly string[],
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): Child {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const written = { stdout: '', stderr: '' }
  const watchers = new Set<() => void>()
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text
      for (const watcher of watchers) watcher()
    })
  }
  const exited = new Promise<Exit>((resolve) => child.on('close', (code, signal) => resolve({ code, signal })))
  const says: Child['says'] = (text) =>
    new Promise((resolve, reject) => {
      const look = () => {
        const all = written.stdout + written.stderr
        if (typeof text === 'string' ? !all.includes(text) : !text.test(all)) return
        watchers.delete(look)
        resolve()
      }
      watchers.add(look)
      look()
      void exited.then(({ code, signal }) =>
        reject(new Error(`it ended with ${code ?? signal} and never said ${text}: ${written.stderr}`)),
      )
    })
  return {
    pid: child.pid ?? 0,
    process: child,
    exited,
    ended: exited.then(({ code }) => code ?? -1),
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    signal: (name) => void child.kill(name),
    says,
    ready: async () => {
      await says(READY)
      return JSON.parse(READY.exec(written.stdout)?.[0] ?? '')
    },
    left: async () => ({ code: (await exited).code, ...written }),
  }
}

/** Starts `rfqctl`, or another `script` of the repository, until the test ends. `nodeFlags` go to Node itself. */
export function startChild(
  argv: readonly string[],
  {
    cwd,
    environment = {},
    nodeFlags = [],
    script = 'bin/rfqctl.js',
  }: { cwd: string; environment?: Record<string, string>; nodeFlags?: readonly string[]; script?: string },
): Child {
  const env = { PATH: process.env.PATH, ...environment }
  const child = spawnProgram([process.execPath, ...nodeFlags, join(ROOT, script), ...argv], { cwd, env })
  onTestFinished(async () => {
    child.signal('SIGTERM')
    await child.exited
  })
  return child
}
