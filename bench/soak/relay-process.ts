import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { CliError } from '../../src/lib/cli-error.ts'
import { EXIT } from '../../src/lib/exit.ts'
import type { SoakMaker } from './maker-session.ts'

/** The file of `rfqctl`, and the address of what its relay loads before itself. */
export type Programs = { bin: string; probe: string }

/** The relay of a soak. */
export type SoakRelay = {
  url: string
  /** Tidies the relay's memory, which stops it for some tens of milliseconds; the bytes still in use. */
  liveHeap: () => Promise<number>
  /** What the relay has written, file by file: its log, the document of its store, and the journal. */
  files: () => Generator<{ name: string; text: string }>
  /** The end of its log when it has ended by itself, which it must not; null while it runs. */
  lastWords: () => string | null
  stop: () => Promise<void>
}

/** The log, and what a file store writes. */
const WRITTEN = /^(relay\.log|store\.json|segments\/.+)$/

/** Characters of a log that are shown. */
const LAST_WORDS = 1_000

/** How long it may drain: nobody waits for its answers any more, and a person may have pressed Ctrl-C. */
const STOP_MS = 3_000

/** Flags and settings that a relay is started with beside those of every soak. */
export type RelayOptions = { flags: readonly string[]; env: Readonly<Record<string, string>> }

/**
 * Starts a relay in a process of its own, so that its vitals are its alone: without a chain, in a folder that is gone
 * afterwards, on a file store unless a flag names another one, with a key for each maker. Neither outlives this process.
 */
export async function startRelayProcess(
  makers: readonly SoakMaker[],
  { bin, probe }: Programs,
  { flags, env }: RelayOptions,
): Promise<SoakRelay> {
  const dataDir = mkdtempSync(join(tmpdir(), 'rfqctl-soak-'))
  const remove = () => rmSync(dataDir, { recursive: true, force: true })
  process.once('exit', remove)
  const keys = makers.map(({ apiKey, makerId }) => ({ apiKey, makerId }))
  const child = spawn(
    process.execPath,
    [
      ...['--expose-gc', '--import', probe],
      ...[bin, 'serve', '--json', '--no-chain', '--port', '0', '--data-dir', dataDir, ...flags],
    ],
    {
      // All makers and takers of the soak are one address.
      env: {
        MAKER_API_KEYS: JSON.stringify(keys),
        LOG_LEVEL: 'warn',
        REQUEST_RATE_PER_ADDRESS: '0',
        MAX_OPEN_REQUESTS: '0',
        MAX_OPEN_REQUESTS_PER_ADDRESS: '0',
        MAX_CONNECTIONS_PER_ADDRESS: '0',
        KEEP_ALIVE_MS: '600000',
        ...env,
      },
      stdio: ['ignore', 'pipe', openSync(join(dataDir, 'relay.log'), 'a'), 'ipc'],
      // Ctrl-C is for the soak, which ends its relay when it has told what it saw.
      detached: true,
    },
  )
  child.channel?.unref()
  const ended = once(child, 'exit')
  const line = await Promise.race([
    once(createInterface(child.stdout as Readable), 'line').then(([text]) => String(text)),
    ended.then(() => null),
  ])
  const read = (name: string) => readFileSync(join(dataDir, name), 'utf8')
  if (line === null) {
    const log = read('relay.log')
    remove()
    throw new CliError('the relay of the soak did not start', { exitCode: EXIT.unexpected, why: [log] })
  }
  const { url } = JSON.parse(line) as { url: string }
  return {
    url,
    liveHeap: async () => {
      const answered = once(child, 'message')
      child.send('tidy')
      const [bytes] = await Promise.race([answered, ended.then(() => [Number.NaN])])
      return Number(bytes)
    },
    files: function* () {
      const written = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter((name) => WRITTEN.test(name))
      for (const name of written) yield { name, text: read(name) }
    },
    lastWords: () =>
      child.exitCode === null && child.signalCode === null ? null : read('relay.log').slice(-LAST_WORDS).trim(),
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return remove()
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
      await ended
      clearTimeout(timer)
      remove()
      process.off('exit', remove)
    },
  }
}
