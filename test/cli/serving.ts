import { onTestFinished } from 'vitest'
import { runCli } from '../../src/cli/run-cli.ts'
import type { Environment } from '../../src/relay/config/sources.ts'
import { NOWHERE, run } from './support.ts'

/** Simulated makers at the relay of a directory, once they are connected; returns what stops them. */
export async function connectMakers(cwd: string, count = 1): Promise<() => Promise<unknown>> {
  const end = new AbortController()
  let connected = 0
  let makers: Promise<unknown> = Promise.resolve()
  await new Promise<void>((resolve) => {
    const onStdout = (text: string) => {
      connected += text.split('\n').filter((line) => line.includes('connected')).length
      if (connected >= count) resolve()
    }
    makers = run(['maker', 'simulate', '--count', `${count}`], { cwd, stop: end.signal, onStdout })
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
