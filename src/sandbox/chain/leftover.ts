import { commandLine, isRunning } from '../../lib/process.ts'
import { type AnvilRecord, readRecord, statePathOf } from './record.ts'

/** Another running process owns the chain of this data dir. */
class DevnetInUseError extends Error {
  override readonly name = 'DevnetInUseError'
}

/**
 * The Anvil that a killed run left behind (fault H4); null when there is none, or when its process id has passed to
 * something else. Throws a `DevnetInUseError` when its owner still runs.
 */
export function findLeftover(dataDir: string): AnvilRecord | null {
  const record = readRecord(dataDir)
  if (record === null || !isAnvilOf(dataDir, record.pid)) return null
  if (record.ownerPid !== process.pid && isRunning(record.ownerPid)) {
    throw new DevnetInUseError(`The embedded chain of ${dataDir} is in use by process ${record.ownerPid}.`)
  }
  return record
}

/** The path of its state file tells an Anvil of this data dir from every other process. */
function isAnvilOf(dataDir: string, pid: number): boolean {
  const command = commandLine(pid)
  return command.includes('anvil') && command.includes(`--state ${statePathOf(dataDir)}`)
}
