import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { CliError } from './cli-error.ts'
import { EXIT } from './exit.ts'

/** Makes a directory that only its owner may enter. */
export const makePrivateDir = (path: string): void => {
  mkdirSync(path, { recursive: true, mode: 0o700 })
}

/** Bits of a file mode that let anyone but the owner at it. */
const OTHERS = 0o077

/** Whether a file of this mode is open to anyone but its owner. */
export const isOpenToOthers = (mode: number): boolean => (mode & OTHERS) !== 0

/** Writes JSON that only its owner may read, whole or not at all, in place of what was there. */
export const writePrivateJson = (path: string, value: unknown): void => writePrivateText(path, textOf(value))

/** The same where nothing may be overwritten; false when there is such a file already. */
export const createPrivateJson = (path: string, value: unknown): boolean => createPrivateText(path, textOf(value))

const textOf = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** Writes a text that only its owner may read, whole or not at all, in place of what was there. */
export function writePrivateText(path: string, text: string): void {
  renameSync(draftOf(path, text), path)
}

/** The same where nothing may be overwritten; false when there is such a file already. */
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

/** Reads what `writePrivateJson` wrote; null when there is no such file. A file that is no JSON object ends the command. */
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
    exitCode: EXIT.corrupt,
    hint: `move it away: mv ${path} ${path}.broken`,
  })
}
