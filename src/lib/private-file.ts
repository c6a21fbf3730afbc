import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { CliError } from './cli-error.ts'

export const makePrivateDir = (path: string): void => {
  mkdirSync(path, { recursive: true, mode: 0o700 })
}

/** Mode bits of everyone but the owner. */
const OTHERS = 0o077

export const isOpenToOthers = (mode: number): boolean => (mode & OTHERS) !== 0

/** Writes JSON readable by its owner only, atomically, and replaces the file. */
export const writePrivateJson = (path: string, value: unknown): void => writePrivateText(path, textOf(value))

/** Like `writePrivateJson`, but returns false instead of replacing a file. */
export const createPrivateJson = (path: string, value: unknown): boolean => createPrivateText(path, textOf(value))

const textOf = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** Writes text readable by its owner only, atomically, and replaces the file. */
export function writePrivateText(path: string, text: string): void {
  renameSync(draftOf(path, text), path)
}

/** Like `writePrivateText`, but returns false instead of replacing a file. */
export function createPrivateText(path: string, text: string): boolean {
  const draft = draftOf(path, text)
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft)
  }
}

function draftOf(path: string, text: string): string {
  makePrivateDir(dirname(path))
  const draft = `${path}.${randomBytes(4).toString('hex')}`
  writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true })
  return draft
}

/** Null if the file is missing. A file without a JSON object ends the command. */
export function readPrivateJson<Value extends object>(path: string): Value | null {
  if (!existsSync(path)) return null
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Value
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new CliError(`${path} is not readable JSON`, {
    code: 'corrupt_file',
    hint: `move it away: mv ${path} ${path}.broken`,
  })
}
