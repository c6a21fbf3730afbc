import { randomUUID } from 'node:crypto'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { StoreOpenError } from '../open-error.ts'

/** Who holds a lock: a process, told apart from another that got the same number later. */
type Holder = { pid: number; bootId: string; startedAt: string; since: string; token: string }

/**
 * Makes this process the only user of a folder, and returns how to let go of it. A lock is stale when its process is gone,
 * or when a power cut left it unreadable: it is taken over.
 * Refuses with a `StoreOpenError` `in_use` that names the other process.
 */
export async function acquireLock(path: string, now: Date = new Date()): Promise<() => Promise<void>> {
  const own: Holder = { ...(await identify(process.pid)), since: now.toISOString(), token: randomUUID() }
  if (!(await claim(path, own))) await takeOver(path, own, now)
  return () => release(path, own)
}

/** Who holds the lock at a path, be it stale; null when nobody does. It changes nothing. */
export async function lockHolder(path: string): Promise<{ pid: number; since: string; isAlive: boolean } | null> {
  const holder = parseHolder(await readIfThere(path))
  return holder === null ? null : { pid: holder.pid, since: holder.since, isAlive: await isAlive(holder) }
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
 * Puts the own lock in place of a stale one. Two that find it stale must not both do so, hence a lock of its own around
 * the second look; whoever holds that one is about to hold the first, and is named to the others.
 */
async function takeOver(path: string, own: Holder, now: Date): Promise<void> {
  await assertStale(path)
  const letGo = await acquireLock(`${path}.takeover`, now)
  try {
    await assertStale(path)
    if (await claim(path, own)) return
    await assertStale(path)
    await rename(await writeDraft(path, own), path)
  } finally {
    await letGo()
  }
}

async function assertStale(path: string): Promise<void> {
  const holder = parseHolder(await readIfThere(path))
  if (holder !== null && (await isAlive(holder))) throw inUse(path, holder)
}

async function writeDraft(path: string, own: Holder): Promise<string> {
  const draft = `${path}.${own.token}`
  await writeFile(draft, `${JSON.stringify(own)}\n`, { mode: 0o600 })
  return draft
}

async function release(path: string, own: Holder): Promise<void> {
  const holder = parseHolder(await readIfThere(path))
  if (holder?.token === own.token) await rm(path, { force: true })
}

async function isAlive({ pid, bootId, startedAt }: Holder): Promise<boolean> {
  const current = await identify(pid)
  if (current.bootId !== bootId || current.startedAt !== startedAt) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Where a system tells neither its boot nor a process's start, they are empty and the number alone decides. */
async function identify(pid: number): Promise<Pick<Holder, 'pid' | 'bootId' | 'startedAt'>> {
  const bootId = await readIfThere('/proc/sys/kernel/random/boot_id')
  const stat = await readIfThere(`/proc/${pid}/stat`)
  return { pid, bootId: bootId.trim(), startedAt: startTimeOf(stat) }
}

/** Field 22 of a process's stat line; its name, in brackets, may itself hold blanks and brackets. */
const startTimeOf = (stat: string): string => stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''

const readIfThere = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '')

function parseHolder(text: string): Holder | null {
  try {
    const holder = JSON.parse(text)
    return typeof holder?.pid === 'number' ? holder : null
  } catch {
    return null
  }
}

const inUse = (path: string, { pid, since }: Holder): StoreOpenError =>
  new StoreOpenError('in_use', {
    message: `The store is in use by pid ${pid} since ${since}.`,
    path,
    hint: 'stop that process, or choose another --data-dir',
  })
