import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import type { Writable } from 'node:stream'

/**
 * Shell text that leaves a guard beside the program that the shell becomes. The guard waits until every writing end of our
 * standard input is closed, for whatever reason, be it `kill -9`; then it sends the program a signal and does one thing more.
 * It reads from descriptor 9, the last that a shell must know, which the program is not to keep.
 */
export const guard = (signal: 'TERM' | 'INT', afterwards = ':'): string =>
  `exec 9<&0; { read -r _ <&9; kill -s ${signal} $$; ${afterwards}; } >/dev/null 2>&1 &`

/** A program that ends when we do. Every process that is given its parent-death pipe among its files keeps it alive, too. */
export type Guarded = { process: ChildProcess; deathPipe: Writable }

/**
 * Starts a program in a process group of its own: Ctrl-C in a terminal is for its parent, which ends it in time. When
 * that one is killed without a chance to act, the program is sent `signal`, and then `afterwards` is run by the shell.
 */
export function spawnGuarded(
  program: string,
  args: readonly string[],
  {
    signal,
    afterwards,
    output = 'ignore',
    deathPipes = [],
    ...options
  }: {
    signal: 'TERM' | 'INT'
    afterwards?: string
    /** What becomes of the program's standard output. */
    output?: 'ignore' | 'pipe'
    /** Of those that must not end before this one. */
    deathPipes?: readonly Writable[]
  } & Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'>,
): Guarded {
  const script = `${guard(signal, afterwards)} exec "$0" "$@" </dev/null 9<&-`
  const errors = output === 'pipe' ? 'inherit' : 'ignore'
  const child = spawn('/bin/sh', ['-c', script, program, ...args], {
    ...options,
    detached: true,
    stdio: ['pipe', output, errors, ...deathPipes],
  })
  const deathPipe = child.stdin as Writable
  // Nothing is ever written; a program that is gone must not end us.
  deathPipe.on('error', () => {})
  return { process: child, deathPipe }
}
