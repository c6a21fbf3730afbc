import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { CliError } from '@rfqctl/lib/cli-error'
import { spawnGuarded } from '@rfqctl/lib/guarded-process'
import type { Environment } from '@rfqctl/relay/config/sources'

/** The path holds from the sources and from the build. */
const PROGRAM = fileURLToPath(new URL('../../../bin/rfqctl.js', import.meta.url))

/**
 * Starts `serve` as a child, and resolves when it is ready. If we are killed, it drains as on SIGTERM, and what owns
 * one of the `deathPipes` lives until then.
 */
export async function startNode(parts: {
  args: readonly string[]
  environment: Environment
  deathPipes: readonly Writable[]
  cwd: string
}) {
  const { args, environment, deathPipes, cwd } = parts
  const { process: child } = spawnGuarded(process.execPath, [PROGRAM, 'serve', '--json', ...args], {
    signal: 'TERM',
    output: 'pipe',
    deathPipes,
    cwd,
    env: environment,
  })
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stdout as Readable })
  const first = once(lines, 'line')
  const outcome = await Promise.race([first.then(([line]) => String(line)), exited.then(() => null)])
  if (outcome === null)
    throw new CliError('a node did not start', { code: 'node_failed', why: [`it exited with ${child.exitCode}`] })
  const { url } = JSON.parse(outcome) as { url: string }
  return {
    url,
    stop: async (): Promise<void> => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      await exited
    },
  }
}
