import { chmodSync, existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder, removeFolder } from '../kit/folder.ts'

/** The wall clock of a process that is started with `env`, which a test moves while the process runs. */
export type FakeTime = {
  env: Record<string, string>
  /** From now on its clock is so many seconds ahead of the machine's; less than none is behind. */
  shift: (seconds: number) => void
  remove: () => void
}

/** Where Debian has libraries: a folder of each architecture. */
const LIBRARIES = '/usr/lib'
const LIBRARY = join('faketime', 'libfaketimeMT.so.1')

/** The file of libfaketime, for processes of several threads; null where it is not installed. */
export const LIBFAKETIME: string | null = findLibrary()

/** A clock that is right until it is moved. The steady clock of the process stays as it is, as that of a real machine does. */
export function createFakeTime(): FakeTime {
  const dir = newFolder()
  // A Postgres of a test runs as somebody else.
  chmodSync(dir, 0o755)
  const file = join(dir, 'offset')
  const shift = (seconds: number) => {
    // In one step: the process must not read half of it.
    writeFileSync(`${file}.new`, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}`)
    renameSync(`${file}.new`, file)
  }
  shift(0)
  return {
    env: {
      LD_PRELOAD: LIBFAKETIME ?? '',
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    shift,
    remove: () => removeFolder(dir),
  }
}

function findLibrary(): string | null {
  if (!existsSync(LIBRARIES)) return null
  const paths = readdirSync(LIBRARIES).map((name) => join(LIBRARIES, name, LIBRARY))
  return paths.find((path) => existsSync(path)) ?? null
}
