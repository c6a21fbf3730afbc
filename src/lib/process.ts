import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** Anvil writes its state before it exits: 33 MB take 50 ms. */
const END_TIMEOUT_MS = 10_000
/** Longest wait after the kill. */
const KILL_TIMEOUT_MS = 1_000
const POLL_MS = 10

/** A process that has ended but waits for an idle parent to reap it does not count. */
export function isRunning(pid: number): boolean {
  return signal(pid, 0) && !/^\d+ \(.*\) Z/s.test(readProcFile(pid, 'stat') ?? '')
}

/** Asks a process to end and waits for that; kills it after 10 s. */
export async function endProcess(pid: number): Promise<void> {
  signal(pid, 'SIGTERM')
  if (await hasEnded(pid, END_TIMEOUT_MS)) return
  signal(pid, 'SIGKILL')
  await hasEnded(pid, KILL_TIMEOUT_MS)
}

async function hasEnded(pid: number, timeoutMs: number): Promise<boolean> {
  for (let waited = 0; isRunning(pid); waited += POLL_MS) {
    if (waited >= timeoutMs) return false
    await delay(POLL_MS)
  }
  return true
}

/** 0 sends nothing. False if there is no such process, or it is another user's. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

/** '' if unknown. Containers often have no `ps`, macOS has no `/proc`. */
export const commandLine = (pid: number): string =>
  readProcFile(pid, 'cmdline')?.replaceAll('\0', ' ') ?? commandLineByPs(pid)

function commandLineByPs(pid: number): string {
  try {
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  } catch {
    return ''
  }
}

function readProcFile(pid: number, name: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return null
  }
}
