import { spawn } from 'node:child_process'
import { commandLine, signal } from '../../lib/process.ts'
import { readRecord } from './record.ts'

/** What lets a process go on once our end of the pipe is closed: we may be killed without a chance to do it. */
const GO_ON = 'read -r _; kill -s CONT "$0"'

/**
 * Stops the Anvil of a data dir where it stands, so that it answers no one, until the returned function is called or this
 * process ends, however it does. Null when the data dir has no running Anvil of ours.
 */
export function freezeAnvil(dataDir: string): (() => void) | null {
  const record = readRecord(dataDir)
  if (record === null || !/anvil/i.test(commandLine(record.pid))) return null
  // In a process group of its own, so that Ctrl-C leaves it to us.
  const guard = spawn('/bin/sh', ['-c', GO_ON, String(record.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  guard.unref()
  const thaw = () => {
    signal(record.pid, 'SIGCONT')
    guard.stdin.end()
  }
  if (signal(record.pid, 'SIGSTOP')) return thaw
  guard.stdin.end()
  return null
}
