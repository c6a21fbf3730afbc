import { onTestFinished } from 'vitest'
import { runCli } from '../../src/cli/run-cli.ts'
import type { Environment } from '../../src/relay/config/sources.ts'
import { NOWHERE, run } from './support.ts'

/** A simulated maker at the relay of a directory, once it is connected; returns what stops it. */
export async function connectMaker(cwd: string): Promise<() => Promise<unknown>> {
  const end = new AbortController()
  let makers: Promise<unknown> = Promise.resolve()
  await new Promise<void>((resolve) => {
    const onStdout = (text: string) => text.includes('connected') && resolve()
    makers = run(['maker', 'simulate', '--count', '1'], { cwd, stop: end.signal, onStdout })
  })
  return () => {
    end.abort({ kind: 'signal', signal: 'SIGTERM' })
    return makers
  }
}

/** A relay that `rfqctl serve` runs in this process, on a free port; without a chain unless it is asked for one. */
export type Serving = { url: string; stderr: () => string; stop: () => Promise<void> }

/** Serves from a directory until it is told to stop, at the latest when its test ends. */
export async function serveFrom(
  cwd: string,
  {
    argv = [],
    environment = {},
    hasChain = false,
  }: { argv?: readonly string[]; environment?: Environment; hasChain?: boolean } = {},
): Promise<Serving> {
  const controller = new AbortController()
  let ended: Promise<number> = Promise.resolve(0)
  const errors: string[] = []
  const url = await new Promise<string>((resolve, reject) => {
    ended = runCli(['serve', ...(hasChain ? [] : ['--no-chain']), '--port', '0', '--json', ...argv], {
      stdout: { write: (text) => resolve(JSON.parse(text).url) },
      stderr: { write: (text) => errors.push(text) },
      environment: { LOG_LEVEL: 'silent', ...environment },
      cwd,
      stop: controller.signal,
      defaults: NOWHERE,
      readStdin: async () => '',
    })
    ended.then((code) => reject(new Error(`serve ended with ${code}: ${errors.join('')}`)), reject)
  })
  const stop = async () => {
    controller.abort({ kind: 'signal', signal: 'SIGTERM' })
    await ended
  }
  onTestFinished(stop)
  return { url, stderr: () => errors.join(''), stop }
}
