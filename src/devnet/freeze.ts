import { commandLine, signal } from './process.ts'
import { readRecord } from './record.ts'

/**
 * Stops the Anvil of a data dir where it stands, so that it answers nobody, until the returned function is called or this
 * process ends. Null when the data dir has no running Anvil of ours.
 */
export function freezeAnvil(dataDir: string): (() => void) | null {
  const record = readRecord(dataDir)
  if (record === null || !/anvil/i.test(commandLine(record.pid))) return null
  const thaw = () => {
    process.off('exit', thaw)
    signal(record.pid, 'SIGCONT')
  }
  process.once('exit', thaw)
  return signal(record.pid, 'SIGSTOP') ? thaw : null
}
