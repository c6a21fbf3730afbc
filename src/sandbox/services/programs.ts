import { accessSync, constants, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Where Debian keeps the servers of Postgres, off the path. */
const DEBIAN_POSTGRES = '/usr/lib/postgresql'

/** The file of a program on a search path like `$PATH`; null where there is none. */
export function findProgram(name: string, path: string): string | null {
  return (
    path
      .split(delimiter)
      .map((dir) => join(dir, name))
      .find(isExecutable) ?? null
  )
}

/** The folder with the programs of Postgres: on the path, else the newest that Debian has; null where there is none. */
export function findPostgres(path: string): string | null {
  const onPath = path.split(delimiter).find((dir) => isExecutable(join(dir, 'initdb')))
  if (onPath !== undefined) return onPath
  const versions = listDir(DEBIAN_POSTGRES).sort((a, b) => Number(b) - Number(a))
  return (
    versions.map((version) => join(DEBIAN_POSTGRES, version, 'bin')).find((dir) => isExecutable(join(dir, 'initdb'))) ??
    null
  )
}

function listDir(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
