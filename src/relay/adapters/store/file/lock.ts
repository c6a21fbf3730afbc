import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { link, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import { utcText } from '@rfqctl/protocol/domain/safe-text'
import { StoreOpenError } from '../open-error.ts'
import { HEARTBEAT_MS, type Holder, identify, isAlive, openLockSocket, readHolder } from './lock-holder.ts'

/** The sole use of a folder. `assertHeld` refuses with `store_unavailable` once someone else has the lock, or no one. */
type Lock = { assertHeld: () => Promise<void>; release: () => Promise<void> }

/** `silenceMs` and `heartbeatMs`, in milliseconds, are for tests. */
type LockOptions = {
  now?: Date
  /** Called once when another process has the lock. */
  onLost?: (fault: StoreOpenError) => void
  silenceMs?: number | undefined
  heartbeatMs?: number
}

/**
 * Makes this process the only user of a folder, over all containers and machines that share it. A lock is stale when its
 * process is gone, or when a power cut left it unreadable: it is taken over.
 * Refuses with a `StoreOpenError` `in_use` that names the other process.
 */
export async function acquireLock(path: string, options: LockOptions = {}): Promise<Lock> {
  const { now = new Date(), silenceMs } = options
  const token = randomUUID()
  const socketName = `store-${token.slice(0, 8)}.sock`
  // It listens before the lock names it.
  const socket = await openLockSocket(dirname(path), socketName)
  const who = await identify(process.pid)
  const own: Holder = { ...who, socket: socket === null ? null : socketName, since: now.toISOString(), token }
  try {
    if (!(await claim(path, own))) await takeOver(path, own, silenceMs)
  } catch (error) {
    await socket?.close()
    throw error
  }
  const watch = watchLock(path, own, options)
  return {
    assertHeld: watch.assertHeld,
    release: async () => {
      watch.stop()
      if ((await readHolder(path))?.token === own.token) await rm(path, { force: true })
      await socket?.close()
    },
  }
}

/** The holder of the lock at a path, even a stale one; null when there is none. Changes nothing. */
export async function lockHolder(
  path: string,
): Promise<{ pid: number; host: string; since: string; isAlive: boolean } | null> {
  const holder = await readHolder(path)
  if (holder === null) return null
  const { pid, host = '', since } = holder
  return { pid, host, since, isAlive: await isAlive(path, holder) }
}

/** Touches a lock while it is held, and reports its loss. */
function watchLock(path: string, own: Holder, { onLost = () => {}, heartbeatMs = HEARTBEAT_MS }: LockOptions) {
  let isLost = false

  /**
   * A lock that cannot be read now, for instance because a server is away, does not count as another's. Reads
   * synchronously, like all of the store's work that needs no device.
   */
  function isOurs(): boolean {
    try {
      return readFileSync(path, 'utf8').includes(own.token)
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== 'ENOENT'
    }
  }

  async function isStillHeld(): Promise<boolean> {
    if (isLost || isOurs()) return !isLost
    if (!isLost) {
      isLost = true
      clearInterval(timer)
      const holder = await readHolder(path)
      onLost(holder === null ? removed(path) : inUse(path, holder))
    }
    return false
  }

  async function beat(): Promise<void> {
    if (await isStillHeld()) await utimes(path, new Date(), new Date())
  }

  const timer = setInterval(() => void beat().catch(() => {}), heartbeatMs).unref()
  return {
    assertHeld: async (): Promise<void> => {
      if (!(await isStillHeld()))
        throw new RfqError('store_unavailable', { detail: 'Another process has taken over the store.' })
    },
    stop: () => clearInterval(timer),
  }
}

/** A hard link makes the lock appear with its contents, for one process only. */
async function claim(path: string, own: Holder): Promise<boolean> {
  const draft = await writeDraft(path, own)
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    await rm(draft, { force: true })
  }
}

/**
 * Replaces a stale lock by the own one. Two processes that find it stale must not both do so, so a second lock guards
 * the second check; its holder is about to hold the first, and is named to the others.
 */
async function takeOver(path: string, own: Holder, silenceMs: number | undefined): Promise<void> {
  const stale = await assertStale(path, silenceMs)
  const takeover = await acquireLock(`${path}.takeover`, { silenceMs })
  try {
    const current = await readHolder(path)
    // A lock found stale a moment ago need not be watched again.
    if (current?.token !== stale?.token) await assertStale(path, silenceMs)
    if (await claim(path, own)) return
    await rename(await writeDraft(path, own), path)
    if (typeof stale?.socket === 'string') await rm(join(dirname(path), basename(stale.socket)), { force: true })
  } finally {
    await takeover.release()
  }
}

async function assertStale(path: string, silenceMs: number | undefined): Promise<Holder | null> {
  const holder = await readHolder(path)
  if (holder !== null && (await isAlive(path, holder, silenceMs))) throw inUse(path, holder)
  return holder
}

async function writeDraft(path: string, own: Holder): Promise<string> {
  const draft = `${path}.${own.token}`
  await writeFile(draft, `${JSON.stringify(own)}\n`, { mode: 0o600 })
  return draft
}

const inUse = (path: string, { pid, host = '', since }: Holder): StoreOpenError =>
  new StoreOpenError('in_use', {
    message: `The store is in use by pid ${pid}${host === '' ? '' : ` on ${host}`} since ${utcText(since)}.`,
    path,
    hint: 'stop that process, or choose another --data-dir',
  })

const removed = (path: string): StoreOpenError =>
  new StoreOpenError('in_use', {
    message: `${path} was removed while this process was using it.`,
    path,
    hint: 'make sure that no other process uses the store, then start again',
  })
