import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Environment } from '../../config/sources.ts'
import { CliError } from '../cli-error.ts'

/** A relay in a process of its own. */
export type Node = { url: string; stop: () => Promise<void> }

/** The program, from here or from where it was built. */
const PROGRAM = fileURLToPath(new URL('../../../bin/rfqctl.js', import.meta.url))

/** Starts `serve` as a child, and resolves when it is ready. */
export async function startNode({
  args,
  environment,
  cwd,
}: {
  args: readonly string[]
  environment: Environment
  cwd: string
}): Promise<Node> {
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--json', ...args], {
    cwd,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
    // Ctrl-C is for whoever started it, who ends the nodes one after the other.
    detached: true,
  })
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })
  const first = once(lines, 'line')
  const outcome = await Promise.race([first.then(([line]) => String(line)), exited.then(() => null)])
  if (outcome === null)
    throw new CliError('a node did not start', { code: 'node_failed', why: [`it ended with ${child.exitCode}`] })
  const { url } = JSON.parse(outcome) as { url: string }
  return {
    url,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      await exited
    },
  }
}
