import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { ROOT } from '../kit/build.ts'

/** `rfqctl` as a process of its own, run by its binary. It does not outlive its test. */
export type Child = {
  pid: number
  /** What it wrote so far. */
  stdout: () => string
  stderr: () => string
  /** Resolves when stdout or stderr has it. */
  says: (text: string | RegExp) => Promise<void>
  signal: (name: NodeJS.Signals) => void
  /** The exit code; -1 when a signal ended it. */
  ended: Promise<number>
  process: ChildProcess
}

/** Starts `rfqctl`, or another `script` of the repository. `nodeFlags` go to Node itself. */
export function startChild(
  argv: readonly string[],
  {
    cwd,
    environment = {},
    nodeFlags = [],
    script = 'bin/rfqctl.js',
  }: { cwd: string; environment?: Record<string, string>; nodeFlags?: readonly string[]; script?: string },
): Child {
  const child = spawn(process.execPath, [...nodeFlags, join(ROOT, script), ...argv], {
    cwd,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const written = { stdout: '', stderr: '' }
  const watchers = new Set<() => void>()
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text
      for (const watcher of watchers) watcher()
    })
  }
  const ended = once(child, 'close').then(([code]) => (typeof code === 'number' ? code : -1))
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  return {
    pid: child.pid ?? 0,
    process: child,
    ended,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    signal: (name) => void child.kill(name),
    says: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const all = written.stdout + written.stderr
          if (typeof text === 'string' ? !all.includes(text) : !text.test(all)) return
          watchers.delete(look)
          resolve()
        }
        watchers.add(look)
        look()
        ended.then((code) => reject(new Error(`it ended with ${code} and never said ${text}: ${written.stderr}`)))
      }),
  }
}
