import { type ChildProcess, execFile } from 'node:child_process'
import { once } from 'node:events'
import {
  accessSync,
  chownSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
} from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import type { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type Guarded, spawnGuarded } from '@rfqctl/lib/guarded-process'

/** A server. It ends when stopped, by TERM or INT unless told otherwise, or when we and every holder of its `deathPipe` are gone. */
export type Service = {
  url: string
  pid: number
  deathPipe: Writable
  stop: (signal?: NodeJS.Signals) => Promise<void>
}

const PATIENCE_MS = 15_000
const POLL_MS = 20

/** Postgres refuses to run as root, so root runs it under this user id. */
const NOBODY = 65_534
export const POSTGRES_USER = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

/** Starts a Redis on a free loopback port, which keeps nothing. `program` is the file of redis-server. */
export async function startRedis(
  program: string,
  { port, args = ['--save', '', '--appendonly', 'no'] }: { port?: number; args?: readonly string[] } = {},
): Promise<Service> {
  const at = port ?? (await findFreePort())
  const started = spawnGuarded(program, [...args, '--bind', '127.0.0.1', '--port', `${at}`], { signal: 'TERM' })
  return serviceOf({ name: 'redis-server', url: `redis://127.0.0.1:${at}`, ...started }, 'SIGTERM')
}

/** Starts a Postgres on a free loopback port, in a temporary folder. `programs` is the folder of initdb. */
export async function startPostgres(programs: string, args: readonly string[] = []): Promise<Service> {
  const dir = mkdtempSync(join(tmpdir(), 'rfqctl-postgres-'))
  const remove = () => rmSync(dir, { recursive: true, force: true })
  try {
    await initPostgres(programs, dir)
    const service = await servePostgres(programs, { dir, args, afterwards: removing(dir) })
    return { ...service, stop: (signal) => service.stop(signal).finally(remove) }
  } catch (fault) {
    remove()
    throw fault
  }
}

/** Makes an empty database in a folder. */
export async function initPostgres(programs: string, dir: string): Promise<void> {
  if (POSTGRES_USER.uid !== undefined) chownSync(dir, POSTGRES_USER.uid, POSTGRES_USER.gid)
  const init = ['-D', join(dir, 'data'), '-U', 'rfqctl', '-A', 'trust', '-E', 'UTF8', '--no-sync']
  await promisify(execFile)(join(programs, 'initdb'), init, { cwd: dir, ...POSTGRES_USER })
}

/** Starts a Postgres on the database of a folder. */
export async function servePostgres(
  programs: string,
  {
    dir,
    port,
    args = [],
    ...how
  }: { dir: string; port?: number; args?: readonly string[]; env?: NodeJS.ProcessEnv; afterwards?: string },
): Promise<Service> {
  const at = port ?? (await findFreePort())
  const run = ['-D', join(dir, 'data'), '-h', '127.0.0.1', '-p', `${at}`, '-k', dir, ...args]
  const started = spawnGuarded(join(programs, 'postgres'), run, { signal: 'INT', cwd: dir, ...POSTGRES_USER, ...how })
  // INT is its fast shutdown: otherwise the server waits for its clients.
  const isReady = () => isPostgresReady(join(dir, 'data', 'postmaster.pid'))
  const url = `postgres://rfqctl@127.0.0.1:${at}/postgres`
  return serviceOf({ name: 'postgres', url, isReady, ...started }, 'SIGINT')
}

/** Postgres listens before it takes calls; its file then says what `pg_ctl` waits for, too. */
const isPostgresReady = (pidFile: string): boolean =>
  existsSync(pidFile) && /^(ready|standby)\s*$/m.test(readFileSync(pidFile, 'utf8'))

async function serviceOf(
  { name, url, isReady, process: server, deathPipe }: Guarded & { name: string; url: string; isReady?: () => boolean },
  stopSignal: NodeJS.Signals,
): Promise<Service> {
  await awaitPort(name, { port: Number(new URL(url).port), isReady }, server)
  return { url, pid: server.pid as number, deathPipe, stop: (signal = stopSignal) => end(server, signal) }
}

/** Shell text that removes a folder once the server has ended, or after ten seconds. */
const removing = (dir: string): string =>
  `for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 $$ || break; sleep 1; done; cd /; rm -rf '${dir}'`

async function end(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, 'exit')
  server.kill(signal)
  await ended
}

async function awaitPort(
  name: string,
  { port, isReady = () => true }: { port: number; isReady?: (() => boolean) | undefined },
  server: ChildProcess,
): Promise<void> {
  for (let waited = 0; waited < PATIENCE_MS; waited += POLL_MS) {
    if (server.exitCode !== null) throw new Error(`${name} ended with ${server.exitCode} instead of listening`)
    if ((await isListening(port)) && isReady()) return
    await delay(POLL_MS)
  }
  await end(server, 'SIGKILL')
  throw new Error(`${name} does not listen on port ${port}`)
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy())
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

/** Debian keeps the servers of Postgres here, off the path. */
const DEBIAN_POSTGRES = '/usr/lib/postgresql'

/** The program's file on a search path like `$PATH`; null if it is missing. */
export function findProgram(name: string, path: string): string | null {
  return (
    path
      .split(delimiter)
      .map((dir) => join(dir, name))
      .find(isExecutable) ?? null
  )
}

/** The folder of the Postgres programs: on the path, else Debian's newest; null if there is none. */
export function findPostgres(path: string): string | null {
  const versions = existsSync(DEBIAN_POSTGRES) ? readdirSync(DEBIAN_POSTGRES) : []
  const newestFirst = versions.sort((a, b) => Number(b) - Number(a))
  const debian = newestFirst.map((version) => join(DEBIAN_POSTGRES, version, 'bin'))
  const initdb = findProgram('initdb', [path, ...debian].join(delimiter))
  // A path may only link to initdb: the other programs are beside the file itself.
  return initdb && dirname(realpathSync(initdb))
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
