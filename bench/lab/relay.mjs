import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { attach, NODE_FLAGS } from './worker.mjs'

/** The root of the repository, seen from `bench/lab`. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** The relay that is measured: that of this checkout, or of another one to compare with. */
export const BIN = join(process.env.BENCH_RELAY ?? ROOT, 'bin', 'rfqctl.js')

/** The same of single modules. */
export const MODULES = join(process.env.BENCH_RELAY ?? ROOT, 'dist', 'modules', 'cli', 'main.js')

/** All load comes from one address, which is no client to be bounded. */
const ONE_ADDRESS = {
  REQUEST_RATE_PER_ADDRESS: '0',
  MAX_CONNECTIONS_PER_ADDRESS: '0',
  MAX_OPEN_REQUESTS: '0',
  MAX_OPEN_REQUESTS_PER_ADDRESS: '0',
  MAX_UNPROVEN_ORDERS: '0',
  KEEP_ALIVE_MS: '600000',
}

/** Where profiles of relays go; without it there are none. */
const { BENCH_PROFILES } = process.env

/** Starts `rfqctl serve` on a free port of the loopback and resolves when it is ready. Its log goes to a file. */
export async function startRelay({ flags = [], env = {}, dataDir, program = BIN }) {
  const dir = dataDir ?? mkdtempSync(join(tmpdir(), 'rfqctl-bench-'))
  mkdirSync(dir, { recursive: true })
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(
    process.execPath,
    [...NODE_FLAGS, ...profileFlags(), program, 'serve', '--json', '--port', '0', '--data-dir', dir, ...flags],
    {
      env: { PATH, HOME, NO_COLOR: '1', ...ONE_ADDRESS, ...env },
      stdio: ['ignore', 'pipe', openSync(join(dir, 'relay.log'), 'a'), 'ipc'],
      serialization: 'advanced',
    },
  )
  const worker = attach(child)
  const ready = await new Promise((resolve, reject) => {
    createInterface(child.stdout).once('line', (line) => resolve(JSON.parse(line)))
    child.once('exit', (code) =>
      reject(new Error(`serve ended with ${code}:\n${readFileSync(join(dir, 'relay.log'))}`)),
    )
  })
  return {
    ...worker,
    /** The line by which it said that it serves. */
    ready,
    url: ready.url,
    port: Number(new URL(ready.url).port),
    dataDir: dir,
    sandbox: () => JSON.parse(readFileSync(join(dir, 'sandbox.json'), 'utf8')),
    stop: async () => {
      await worker.stop()
      if (dataDir === undefined) rmSync(dir, { recursive: true, force: true })
    },
  }
}

const profileFlags = () => (BENCH_PROFILES === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', BENCH_PROFILES])
