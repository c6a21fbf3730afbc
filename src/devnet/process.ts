import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** Anvil writes its state before it exits: 33 MB take 50 ms. */
const END_TIMEOUT_MS = 10_000
const POLL_MS = 10

/** Whether a process of this id exists. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Asks a process to end and waits until it has; after 10 s it is killed. */
export async function endProcess(pid: number): Promise<void> {
  if (!signal(pid, 'SIGTERM')) return
  for (let waited = 0; isRunning(pid); waited += POLL_MS) {
    if (waited >= END_TIMEOUT_MS) signal(pid, 'SIGKILL')
    await delay(POLL_MS)
  }
}

/** Sends a signal; false when there is no such process any more, or it is not ours. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

/** The command line of a process, '' when it cannot be told. Containers often have no `ps`, macOS has no `/proc`. */
export function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return commandLineByPs(pid)
  }
}

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
