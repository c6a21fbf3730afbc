import { chmod, mkdtemp, readFile, rm, stat, symlink } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

/**
 * The holder of a lock. `socket`, in the folder of the lock, listens while the holder lives; null where sockets are
 * impossible, absent in a lock of an older version. `bootId` and `host` identify the machine; `startedAt` distinguishes
 * a process from a later one with the same number.
 */
export type Holder = {
  pid: number
  startedAt: string
  bootId: string
  host: string
  socket?: string | null
  since: string
  token: string
}

/** Interval at which a holder touches its lock, in milliseconds. */
export const HEARTBEAT_MS = 2_000

/** A lock untouched this long, in milliseconds, lost its holder on another machine: three beats and a little. */
const SILENCE_MS = 6_500

/** Interval of checks for a beat, in milliseconds. */
const POLL_INTERVAL_MS = 250

export async function identify(pid: number): Promise<Pick<Holder, 'pid' | 'startedAt' | 'bootId' | 'host'>> {
  const bootId = await readIfThere('/proc/sys/kernel/random/boot_id')
  const status = await readIfThere(`/proc/${pid}/stat`)
  return { pid, bootId: bootId.trim(), startedAt: startTimeOf(status), host: hostname() }
}

/** Null when there is no lock, or a power cut left it unreadable. */
export async function readHolder(path: string): Promise<Holder | null> {
  try {
    const holder = JSON.parse(await readIfThere(path))
    return typeof holder?.pid === 'number' ? holder : null
  } catch {
    return null
  }
}

/**
 * Whether the holder of a lock lives. On the holder's machine its socket decides at once, in whatever container. For a
 * holder on another machine, which shares the file system, it takes a few seconds: until its lock is touched, or is
 * not.
 */
export async function isAlive(path: string, holder: Holder, silenceMs: number = SILENCE_MS): Promise<boolean> {
  const own = await identify(holder.pid)
  const isHere = own.bootId === '' ? own.host === holder.host : own.bootId === holder.bootId
  if (isHere && typeof holder.socket === 'string') return isListening(dirname(path), holder.socket)
  if (isHere && own.startedAt === holder.startedAt && isRunning(holder.pid)) return true
  // A holder of a version without sockets and beats is judged by its process alone.
  return holder.socket === undefined ? false : isTouched(path, silenceMs)
}

/** Only a change of the time counts: the clock of the other machine may be any. */
async function isTouched(path: string, silenceMs: number): Promise<boolean> {
  const first = await touchedAt(path)
  for (let waited = 0; waited < silenceMs; waited += POLL_INTERVAL_MS) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(POLL_INTERVAL_MS, silenceMs)))
    if ((await touchedAt(path)) !== first) return true
  }
  return false
}

const touchedAt = (path: string): Promise<number | null> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => null,
  )

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Field 22 of a process's stat line; its name, in brackets, may itself hold blanks and brackets. */
const startTimeOf = (stat: string): string => stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''

const readIfThere = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '')

/** Listens for as long as this process lives; the kernel ends it, however the process ends. */
type LockSocket = { close: () => Promise<void> }

/** Milliseconds: the kernel accepts connections by itself, so a listener that does not is busy, not gone. */
const CONNECT_MS = 1_000

/** Nothing listens at the name any longer. */
const GONE = new Set(['ECONNREFUSED', 'ENOENT', 'ENOTSOCK'])

/**
 * Listens at a name in a folder only to be found: unlike a process number it means the same to every container that
 * sees the folder. Null where the file system or the platform has no such sockets.
 */
export async function openLockSocket(dir: string, name: string): Promise<LockSocket | null> {
  if (process.platform === 'win32') return null
  const server = createServer((visitor) => visitor.destroy())
  try {
    await throughShortPath(dir, (short) => listen(server, join(short, name)))
    await chmod(join(dir, name), 0o600)
  } catch {
    server.close()
    return null
  }
  server.unref()
  return {
    close: async () => {
      await new Promise<void>((done) => server.close(() => done()))
      await rm(join(dir, name), { force: true })
    },
  }
}

/** Whether a process listens at a name in a folder. Any error but those of `GONE` counts as a living process. */
async function isListening(dir: string, name: string): Promise<boolean> {
  return throughShortPath(
    dir,
    (short) =>
      new Promise<boolean>((settle) => {
        const visitor = connect(join(short, name))
        const end = (isThere: boolean) => {
          visitor.destroy()
          settle(isThere)
        }
        visitor.setTimeout(CONNECT_MS, () => end(true))
        visitor.once('connect', () => end(true))
        visitor.once('error', ({ code }: NodeJS.ErrnoException) => end(!GONE.has(code ?? '')))
      }),
  )
}

/**
 * The path of a socket has 107 bytes at most, and the path of a data folder may be longer, so a link with a short name
 * leads there. The link is removed once the socket is open, so that a closing server cannot remove someone else's
 * socket by that name.
 */
async function throughShortPath<Result>(dir: string, work: (short: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'rfqctl-'))
  const link = join(folder, 'd')
  try {
    await symlink(resolve(dir), link)
    return await work(link)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const listen = (server: Server, path: string): Promise<void> =>
  new Promise((done, fail) => {
    server.once('error', fail)
    server.listen(path, done)
  })
