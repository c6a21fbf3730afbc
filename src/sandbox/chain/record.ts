import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A running Anvil, and the process that will end it. */
export type AnvilRecord = { pid: number; port: number; ownerPid: number }

const recordPath = (dataDir: string): string => join(dataDir, 'anvil.json')

/** The file in which the chain of a data dir rests between two runs. */
export const statePathOf = (dataDir: string): string => join(dataDir, 'chain-state.json')

/** Notes a running Anvil in a data dir, all at once: a reader finds the whole record or none. */
export function writeRecord(dataDir: string, record: AnvilRecord): void {
  mkdirSync(dataDir, { recursive: true })
  const path = recordPath(dataDir)
  writeFileSync(`${path}.new`, `${JSON.stringify(record)}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

/** The noted Anvil; null when none is noted in a form that we write. */
export function readRecord(dataDir: string): AnvilRecord | null {
  try {
    const record = JSON.parse(readFileSync(recordPath(dataDir), 'utf8')) as AnvilRecord
    return [record.pid, record.port, record.ownerPid].every(isPositive) ? record : null
  } catch {
    return null
  }
}

/** Forgets the noted Anvil. */
export const removeRecord = (dataDir: string): void => rmSync(recordPath(dataDir), { force: true })

/** Puts the resting chain aside, as the file `chain-state.json.old`. */
export const setStateAside = (dataDir: string): void => renameSync(statePathOf(dataDir), `${statePathOf(dataDir)}.old`)

const isPositive = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0
