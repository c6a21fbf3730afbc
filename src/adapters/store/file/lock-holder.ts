import { readFile, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { isListening } from './lock-socket.ts'

/**
 * Who holds a lock. `socket`, in the folder of the lock, listens while the holder lives; null where there can be none, and
 * not there in a lock of an older version. `bootId` and `host` tell machines apart; `startedAt` tells a process from another
 * that got the same number later.
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

/** How often a holder touches its lock, in milliseconds. */
export const HEARTBEAT_MS = 2_000

/** How long a lock must be left untouched before its holder on another machine counts as gone: three beats and a little. */
const SILENCE_MS = 6_500

/** How often who waits for a beat looks, in milliseconds. */
const POLL_INTERVAL_MS = 250

/** What a process says of itself. */
export async function identify(pid: number): Promise<Pick<Holder, 'pid' | 'startedAt' | 'bootId' | 'host'>> {
  const bootId = await readIfThere('/proc/sys/kernel/random/boot_id')
  const status = await readIfThere(`/proc/${pid}/stat`)
  return { pid, bootId: bootId.trim(), startedAt: startTimeOf(status), host: hostname() }
}

/** The holder that a lock names; null when there is none, or a power cut left it unreadable. */
export async function readHolder(path: string): Promise<Holder | null> {
  try {
    const holder = JSON.parse(await readIfThere(path))
    return typeof holder?.pid === 'number' ? holder : null
  } catch {
    return null
  }
}

/**
 * Whether the holder of a lock lives. On the machine of the holder its socket says so at once, whatever container asks. For
 * one on another machine, which shares the file system, it takes a few seconds: until its lock is touched, or is not.
 */
export async function isAlive(path: string, holder: Holder, silenceMs: number = SILENCE_MS): Promise<boolean> {
  const own = await identify(holder.pid)
  const isHere = own.bootId === '' ? own.host === holder.host : own.bootId === holder.bootId
  if (isHere && typeof holder.socket === 'string') return isListening(dirname(path), holder.socket)
  if (isHere && own.startedAt === holder.startedAt && isRunning(holder.pid)) return true
  // A version that knows neither sockets nor beats is told by its process alone.
  return holder.socket === undefined ? false : isTouched(path, silenceMs)
}

/** Only whether the time changes counts: the clock of the other machine may be any. */
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
