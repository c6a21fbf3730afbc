import { execFileSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import {
  findPostgres,
  initPostgres,
  POSTGRES_USER,
  type Service,
  servePostgres,
} from '../../src/sandbox/services/services.ts'
import { newFolder, removeFolder } from '../kit/folder.ts'
import { findFreePort } from './free-port.ts'
import { runSql } from './postgres.ts'

/** A Postgres server of a test's own, which it may treat as it likes. */
export type OwnPostgres = {
  url: string
  /** Ends it as a crash does: nobody is told, nothing is tidied, and it reads its log again when it starts. */
  kill: () => Promise<void>
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
  const programs = POSTGRES_BIN ?? ''
  const data = join(dir, 'data')
  const port = await findFreePort()
  const url = `postgres://rfqctl@127.0.0.1:${port}/postgres`
  let server: Service | null = null

  const runProgram = (name: string, args: readonly string[]): string =>
    execFileSync(join(programs, name), args, {
      cwd: dir,
      stdio: ['ignore', 'pipe', 'ignore'],
      encoding: 'utf8',
      ...POSTGRES_USER,
    })

  if (primary === undefined) await initPostgres(programs, dir)
  else {
    chownSync(dir, POSTGRES_USER.uid ?? -1, POSTGRES_USER.gid ?? -1)
    const connection = follows ? ['-R'] : []
    runProgram('pg_basebackup', ['-D', data, '-X', 'stream', '-c', 'fast', '--no-sync', ...connection, '-d', primary])
    writeFileSync(join(data, 'standby.signal'), '')
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    await server?.stop(signal)
    server = null
  }

  const own: OwnPostgres = {
    url,
    // Its way of a crash for the whole server: without it the processes of connections outlive their parent.
    kill: () => end('SIGQUIT'),
    start: async () => {
      server = await servePostgres(programs, { dir, port, args: HASTY, env: { ...process.env, ...env } })
      const answers = () => runSql('select 1', [], url).catch(() => null)
      while ((await answers()) === null) await delay(20)
    },
    createStandby: (options) => createOwnPostgres({ primary: url, ...options }),
    promote: async () => void (await runSql('select pg_promote()', [], url)),
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
