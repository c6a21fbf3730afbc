import { type ChildProcess, execFile } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, chownSync, constants, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { spawnGuarded } from '@rfqctl/lib/guarded-process'

/** A throw-away server with its data. It ends when stopped, or when we and every holder of its `deathPipe` are gone. */
export type Service = { url: string; pid: number; deathPipe: Writable; stop: () => Promise<void> }

const PATIENCE_MS = 15_000
const POLL_MS = 20

/** Postgres refuses to run as root, so root runs it under this user id. */
const NOBODY = 65_534

/** Starts a Redis on a free loopback port, which keeps nothing. `program` is the file of redis-server. */
export async function startRedis(program: string): Promise<Service> {
  const port = await findFreePort()
  const args = ['--bind', '127.0.0.1', '--port', `${port}`, '--save', '', '--appendonly', 'no']
  const { process: server, deathPipe } = spawnGuarded(program, args, { signal: 'TERM' })
  await awaitPort('redis-server', port, server)
  return { url: `redis://127.0.0.1:${port}`, pid: server.pid as number, deathPipe, stop: () => end(server, 'SIGTERM') }
}

/** Starts a Postgres on a free loopback port, in a temporary folder. `programs` is the folder of initdb. */
export async function startPostgres(programs: string): Promise<Service> {
  const dir = mkdtempSync(join(tmpdir(), 'rfqctl-postgres-'))
  const owner = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  if (owner.uid !== undefined) chownSync(dir, owner.uid, owner.gid)
  const data = join(dir, 'data')
  const port = await findFreePort()
  const remove = () => rmSync(dir, { recursive: true, force: true })
  try {
    const init = ['-D', data, '-U', 'rfqctl', '-A', 'trust', '-E', 'UTF8', '--no-sync']
    await promisify(execFile)(join(programs, 'initdb'), init, { cwd: dir, ...owner })
    const run = ['-D', data, '-h', '127.0.0.1', '-p', `${port}`, '-k', dir]
    // INT is its fast shutdown: otherwise the server waits for its clients.
    const { process: server, deathPipe } = spawnGuarded(join(programs, 'postgres'), run, {
      signal: 'INT',
      afterwards: removing(dir),
      cwd: dir,
      ...owner,
    })
    await awaitPort('postgres', port, server)
    const stop = () => end(server, 'SIGINT').finally(remove)
    return { url: `postgres://rfqctl@127.0.0.1:${port}/postgres`, pid: server.pid as number, deathPipe, stop }
  } catch (fault) {
    remove()
    throw fault
  }
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

async function awaitPort(name: string, port: number, server: ChildProcess): Promise<void> {
  for (let waited = 0; waited < PATIENCE_MS; waited += POLL_MS) {
    if (server.exitCode !== null) throw new Error(`${name} ended with ${server.exitCode} instead of listening`)
    if (await isListening(port)) return
    await delay(POLL_MS)
  }
  await end(server, 'SIGKILL')
  throw new Error(`${name} does not listen on port ${port}`)
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const settle = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.on('connect', () => settle(true))
    socket.on('error', () => settle(false))
  })
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
  const onPath = path.split(delimiter).find((dir) => isExecutable(join(dir, 'initdb')))
  if (onPath !== undefined) return onPath
  const versions = listDir(DEBIAN_POSTGRES).sort((a, b) => Number(b) - Number(a))
  return (
    versions.map((version) => join(DEBIAN_POSTGRES, version, 'bin')).find((dir) => isExecutable(join(dir, 'initdb'))) ??
    null
  )
}

function listDir(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
