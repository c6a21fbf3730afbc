import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandLine, isRunning, signal } from '@rfqctl/lib/process'

/** `ownerPid` is the process that will end it. */
export type AnvilRecord = { pid: number; port: number; ownerPid: number }

const recordPath = (dataDir: string): string => join(dataDir, 'anvil.json')

export const statePathOf = (dataDir: string): string => join(dataDir, 'chain-state.json')

/** Atomic: a reader finds the whole record or none. */
export function writeRecord(dataDir: string, record: AnvilRecord): void {
  mkdirSync(dataDir, { recursive: true })
  const path = recordPath(dataDir)
  writeFileSync(`${path}.new`, `${JSON.stringify(record)}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

/** Null if none is recorded in our format. */
export function readRecord(dataDir: string): AnvilRecord | null {
  try {
    const record = JSON.parse(readFileSync(recordPath(dataDir), 'utf8')) as AnvilRecord
    return [record.pid, record.port, record.ownerPid].every(isPositive) ? record : null
  } catch {
    return null
  }
}

export const removeRecord = (dataDir: string): void => rmSync(recordPath(dataDir), { force: true })

/** Renames the saved chain to `chain-state.json.old`. */
export function setStateAside(dataDir: string): string {
  const aside = `${statePathOf(dataDir)}.old`
  renameSync(statePathOf(dataDir), aside)
  return aside
}

const isPositive = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0

/** Another running process owns the chain of this data dir. */
class DevnetInUseError extends Error {
  override readonly name = 'DevnetInUseError'
}

/**
 * The Anvil left by a killed run (fault H4); null if there is none, or its process id has passed to something else.
 * Throws a `DevnetInUseError` if its owner still runs.
 */
export function findOrphan(dataDir: string): AnvilRecord | null {
  const record = readRecord(dataDir)
  if (record === null || !isAnvilOf(dataDir, record.pid)) return null
  if (record.ownerPid !== process.pid && isRunning(record.ownerPid)) {
    throw new DevnetInUseError(`The embedded chain of ${dataDir} is in use by process ${record.ownerPid}.`)
  }
  return record
}

/** The path of its state file distinguishes an Anvil of this data dir from every other process. */
function isAnvilOf(dataDir: string, pid: number): boolean {
  const command = commandLine(pid)
  return command.includes('anvil') && command.includes(`--state ${statePathOf(dataDir)}`)
}

/** Resumes the process once our end of the pipe is closed: we may be killed without a chance to do it. */
const RESUME = 'read -r _; kill -s CONT "$0"'

/**
 * Pauses the Anvil of a data dir, so that it answers no one, until the returned function is called or this process ends
 * in any way. Null if the data dir has no running Anvil of ours.
 */
export function pauseAnvil(dataDir: string): (() => void) | null {
  const record = readRecord(dataDir)
  if (record === null || !/anvil/i.test(commandLine(record.pid))) return null
  // In a process group of its own, so that Ctrl-C leaves it to us.
  const guard = spawn('/bin/sh', ['-c', RESUME, String(record.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  guard.unref()
  const resume = () => {
    signal(record.pid, 'SIGCONT')
    guard.stdin.end()
  }
  if (signal(record.pid, 'SIGSTOP')) return resume
  guard.stdin.end()
  return null
}
