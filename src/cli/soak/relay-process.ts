import { spawn } from 'node:child_process'
import { mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit.ts'
import type { SoakMaker } from './crowd.ts'

const BIN = fileURLToPath(new URL('../../../bin/rfqctl.js', import.meta.url))

/**
 * Starts a relay in a process of its own, so that its vitals are its alone: without a chain, on a file store in a folder
 * that is gone afterwards, with a key for each maker.
 */
export async function startRelayProcess(
  makers: readonly SoakMaker[],
): Promise<{ url: string; chainId: number; stop: () => Promise<void> }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'rfqctl-soak-'))
  const keys = makers.map(({ apiKey }, index) => ({ apiKey, makerId: `soak-${index}` }))
  const child = spawn(process.execPath, [BIN, 'serve', '--json', '--no-chain', '--port', '0', '--data-dir', dataDir], {
    env: { MAKER_API_KEYS: JSON.stringify(keys), LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', openSync(join(dataDir, 'relay.log'), 'a')],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const line = await Promise.race([
    new Promise<string>((resolve) => createInterface(child.stdout as Readable).once('line', resolve)),
    ended.then(() => null),
  ])
  if (line === null) throw new CliError('the relay of the soak did not start', { exitCode: EXIT.unexpected })
  const { url, chainId } = JSON.parse(line) as { url: string; chainId: number }
  return {
    url,
    chainId,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
