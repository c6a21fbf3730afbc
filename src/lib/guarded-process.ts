import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import type { Writable } from 'node:stream'

/**
 * Shell text that leaves a guard beside the program that the shell becomes. The guard waits until every writing end of
 * our standard input is closed, even by `kill -9`, then signals the program and runs `afterwards`. It reads descriptor
 * 9, the highest that every shell supports, which the program must not keep.
 */
export const guard = (signal: 'TERM' | 'INT', afterwards = ':'): string =>
  `exec 9<&0; { read -r _ <&9; kill -s ${signal} $$; ${afterwards}; } >/dev/null 2>&1 &`

/** A program that ends with us. Every process given its parent-death pipe among its files keeps it alive, too. */
export type Guarded = { process: ChildProcess; deathPipe: Writable }

/**
 * Starts a program in its own process group: Ctrl-C in a terminal goes to the parent, which ends the program in order.
 * If the parent is killed without a chance to act, the shell sends the program `signal` and then runs `afterwards`.
 */
export function spawnGuarded(
  program: string,
  args: readonly string[],
  input: {
    signal: 'TERM' | 'INT'
    afterwards?: string
    output?: 'ignore' | 'pipe'
    /** Pipes of programs that must not end before this one. */
    deathPipes?: readonly Writable[]
  } & Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'>,
): Guarded {
  const { signal, afterwards, output = 'ignore', deathPipes = [], ...options } = input
  const script = `${guard(signal, afterwards)} exec "$0" "$@" </dev/null 9<&-`
  const errors = output === 'pipe' ? 'inherit' : 'ignore'
  const child = spawn('/bin/sh', ['-c', script, program, ...args], {
    ...options,
    detached: true,
    stdio: ['pipe', output, errors, ...deathPipes],
  })
  const deathPipe = child.stdin as Writable
  // Nothing is ever written; a program that has exited must not end us.
  deathPipe.on('error', () => {})
  return { process: child, deathPipe }
}
