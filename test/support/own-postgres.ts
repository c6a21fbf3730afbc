import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { findPostgres } from '../../src/sandbox/services/services.ts'
import { newFolder, removeFolder } from '../kit/folder.ts'
import { findFreePort } from './free-port.ts'

/** A Postgres server of a test's own, which it may treat as it likes. */
export type OwnPostgres = {
  url: string
  /** Ends it as a crash does: nobody is told, nothing is tidied, and it reads its log again when it starts. */
  kill: () => Promise<void>
  /** Starts it, and resolves when it answers. */
  start: () => Promise<void>
  /** Makes a standby that has all that is committed now, and serves once it is promoted. It goes on to follow only if it is told to. */
  createStandby: (options?: { follows: boolean }) => Promise<OwnPostgres>
  /** Makes a standby a primary, and resolves when it writes. */
  promote: () => Promise<void>
  /** Copies the files of a server that does not run, and returns what puts them back. */
  copyData: () => () => void
  /** Runs one of the programs of Postgres on it, with its URL as the last argument, and returns what it prints. */
  run: (program: string, ...args: readonly string[]) => string
  /** Ends it and deletes all that it wrote. */
  remove: () => Promise<void>
}

/** The folder of the server's programs; null where none is installed. */
export const POSTGRES_BIN: string | null = findPostgres(process.env.PATH ?? '')

/** A server whose default is to say yes long before it is on disk. */
const HASTY = ['-c', 'synchronous_commit=off', '-c', 'wal_writer_delay=10s']

/** Postgres refuses to run as root, so a root runs it as nobody. */
const NOBODY = 65_534
const asWhom = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

/**
 * A new server on a free port of the loopback, started. `primary`: the URL of one that it begins as a copy of, in recovery; it
 * `follows` it from then on or not. `env`: variables beside those of this process.
 */
export async function createOwnPostgres({
  primary,
  follows = false,
  env = {},
}: {
  primary?: string
  follows?: boolean
  env?: Readonly<Record<string, string>>
} = {}): Promise<OwnPostgres> {
  const dir = newFolder()
  if (asWhom.uid !== undefined) chownSync(dir, asWhom.uid, asWhom.gid)
  // Where initdb is only linked to, the others lie where it does.
  const programs = dirname(realpathSync(join(POSTGRES_BIN ?? '', 'initdb')))
  const program = (name: string) => join(programs, name)
  const data = join(dir, 'data')
  const port = await findFreePort()
  const url = `postgres://rfqctl@127.0.0.1:${port}/postgres`
  let server: ChildProcess | null = null

  const runProgram = (name: string, args: readonly string[]): string =>
    execFileSync(program(name), args, { cwd: dir, stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8', ...asWhom })

  if (primary === undefined)
    runProgram('initdb', ['-D', data, '-U', 'rfqctl', '-A', 'trust', '-E', 'UTF8', '--no-sync'])
  else {
    const connection = follows ? ['-R'] : []
    runProgram('pg_basebackup', ['-D', data, '-X', 'stream', '-c', 'fast', '--no-sync', ...connection, '-d', primary])
    writeFileSync(join(data, 'standby.signal'), '')
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (server === null) return
    const ended = once(server, 'exit')
    server.kill(signal)
    await ended
    server = null
  }

  const own: OwnPostgres = {
    url,
    // Its way of a crash for the whole server: without it the processes of connections outlive their parent.
    kill: () => end('SIGQUIT'),
    start: async () => {
      const args = ['-D', data, '-h', '127.0.0.1', '-p', String(port), '-k', dir, ...HASTY]
      server = spawn(program('postgres'), args, {
        cwd: dir,
        stdio: 'ignore',
        env: { ...process.env, ...env },
        ...asWhom,
      })
      while (!(await answers(url))) await delay(20)
    },
    createStandby: (options) => createOwnPostgres({ primary: url, ...options }),
    promote: async () => {
      const client = new Client({ connectionString: url })
      await client.connect()
      await client.query('select pg_promote()')
      await client.end()
    },
    copyData: () => {
      const copy = mkdtempSync(join(dir, 'copy-'))
      execFileSync('cp', ['-a', data, copy])
      return () => {
        rmSync(data, { recursive: true })
        execFileSync('cp', ['-a', join(copy, 'data'), data])
      }
    },
    run: (name, ...args) => runProgram(name, [...args, url]),
    remove: async () => {
      await end('SIGINT')
      removeFolder(dir)
    },
  }
  await own.start()
  return own
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url })
  // The server may end while it is asked.
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}
