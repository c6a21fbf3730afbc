import { chmod, mkdtemp, rm, symlink } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** A socket that listens for as long as this process lives; the kernel ends it, however the process does. */
export type LockSocket = { close: () => Promise<void> }

/** How long a listener may take to let someone in: the kernel does it by itself, so that one that does not is busy, not gone. */
const CONNECT_MS = 1_000

/** What says that no one listens at a name any more. */
const GONE = new Set(['ECONNREFUSED', 'ENOENT', 'ENOTSOCK'])

/**
 * Listens at a name in a folder, for nothing but to be there: unlike a process number it means the same to every container
 * that sees the folder. Null where the file system or the platform has no such sockets.
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

/** Whether a process listens at a name in a folder. Whatever does not say that it has gone counts as one that is there. */
export async function isListening(dir: string, name: string): Promise<boolean> {
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
 * The path of a socket has 107 bytes at most, and that of a data folder may be longer: a link of a short name leads there. It
 * is gone once the socket is open, so that the end of a server cannot take away a socket of someone else by that name.
 */
async function throughShortPath<Result>(dir: string, work: (short: string) => Promise<Result>): Promise<Result> {
  const place = await mkdtemp(join(tmpdir(), 'rfqctl-'))
  const link = join(place, 'd')
  try {
    await symlink(resolve(dir), link)
    return await work(link)
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

const listen = (server: Server, path: string): Promise<void> =>
  new Promise((done, fail) => {
    server.once('error', fail)
    server.listen(path, done)
  })
