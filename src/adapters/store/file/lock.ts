import { randomUUID } from 'node:crypto'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { StoreOpenError } from '../open-error.ts'

/** Who holds a lock: a process, told apart from another that got the same number later. */
type Holder = { pid: number; bootId: string; startedAt: string; since: string; token: string }

/** How often a stale lock may be found anew before giving up: each time another process was faster. */
const ATTEMPTS = 5

/**
 * Makes this process the only user of a folder, and returns how to let go of it. A lock is stale when its process is gone,
 * or when a power cut left it unreadable: it is taken over.
 * Refuses with a `StoreOpenError` `in_use` that names the other process.
 */
export async function acquireLock(path: string, now: Date = new Date()): Promise<() => Promise<void>> {
  const own: Holder = { ...(await identify(process.pid)), since: now.toISOString(), token: randomUUID() }
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (await claim(path, own)) return () => release(path, own)
    const text = await readIfThere(path)
    if (text === null) continue
    const holder = parseHolder(text)
    if (holder !== null && (await isAlive(holder))) throw inUse(path, holder)
    await discard(path, text)
  }
  throw inUse(path, parseHolder((await readIfThere(path)) ?? ''))
}

/** A hard link makes the lock appear with its contents, for one process only. */
async function claim(path: string, own: Holder): Promise<boolean> {
  const draft = `${path}.${own.token}`
  await writeFile(draft, `${JSON.stringify(own)}\n`, { mode: 0o600 })
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

/** Takes a stale lock away, unless another process already replaced it by its own: then that one is put back. */
async function discard(path: string, stale: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`
  try {
    await rename(path, aside)
    if ((await readFile(aside, 'utf8')) !== stale) await link(aside, path)
    await rm(aside, { force: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

async function release(path: string, own: Holder): Promise<void> {
  const holder = parseHolder((await readIfThere(path)) ?? '')
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
  const bootId = (await readIfThere('/proc/sys/kernel/random/boot_id')) ?? ''
  const stat = (await readIfThere(`/proc/${pid}/stat`)) ?? ''
  return { pid, bootId: bootId.trim(), startedAt: startTimeOf(stat) }
}

/** Field 22 of a process's stat line; its name, in brackets, may itself hold blanks and brackets. */
const startTimeOf = (stat: string): string => stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''

const readIfThere = (path: string): Promise<string | null> => readFile(path, 'utf8').catch(() => null)

function parseHolder(text: string): Holder | null {
  try {
    const holder = JSON.parse(text)
    return typeof holder?.pid === 'number' ? holder : null
  } catch {
    return null
  }
}

const inUse = (path: string, holder: Holder | null): StoreOpenError =>
  new StoreOpenError('in_use', {
    message:
      holder === null
        ? `The store's lock ${path} keeps changing hands.`
        : `The store is in use by pid ${holder.pid} since ${holder.since}.`,
    path,
    hint: 'stop that process, or choose another --data-dir',
  })
