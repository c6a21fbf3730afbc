import { constants } from 'node:fs'
import { mkdir, readdir, rename, rm, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createDescriptors, type OpenFile } from './descriptors.ts'

/** The store's operations on a disk. A name made or changed is durable only after `flushDir`; contents at once. */
export type Disk = {
  makeDir: (path: string) => Promise<void>
  /** Empty when there is no such folder. */
  list: (dir: string) => Promise<readonly string[]>
  /** Null when there is no such file. */
  read: (path: string) => Promise<Buffer | null>
  readAt: (path: string, offset: number, length: number) => Promise<Buffer>
  /** Creates or empties a file, writes it and flushes it to the device. */
  write: (path: string, bytes: Uint8Array) => Promise<void>
  /** Writes from an offset on and flushes to the device; creates a missing file. */
  writeAt: (path: string, offset: number, bytes: Uint8Array) => Promise<void>
  truncate: (path: string, length: number) => Promise<void>
  rename: (from: string, to: string) => Promise<void>
  remove: (path: string) => Promise<void>
  /** Makes the names in a folder durable. */
  flushDir: (dir: string) => Promise<void>
}

/** Only the owner may read the store. */
const FILE_MODE = 0o600
const DIR_MODE = 0o700

/** The most files that the store has open at once while it writes: one of each family, the document, a folder. */
const { using } = createDescriptors({ reserved: 10, mode: FILE_MODE })

/** Fails with the system's own errors. */
export const disk: Disk = {
  makeDir: async (path) => {
    const made = await mkdir(path, { recursive: true, mode: DIR_MODE })
    if (made !== undefined) await disk.flushDir(dirname(made))
  },
  list: (dir) => readdir(dir).catch(unlessMissing([])),
  read: (path) => using(path, constants.O_RDONLY, ({ readAll }) => readAll()).catch(unlessMissing(null)),
  readAt: (path, offset, length) =>
    using(path, constants.O_RDONLY, async ({ read }) => {
      const bytes = Buffer.alloc(length)
      return bytes.subarray(0, await read(bytes, offset))
    }),
  write: (path, bytes) =>
    using(path, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC, (file) => writeThrough(file, bytes, 0)),
  writeAt: (path, offset, bytes) =>
    using(path, constants.O_WRONLY | constants.O_CREAT, (file) => writeThrough(file, bytes, offset)),
  truncate,
  rename,
  remove: (path) => rm(path, { force: true }),
  flushDir: (dir) => using(dir, constants.O_RDONLY, ({ flush }) => flush()),
}

/** A device may take only part of a write; a flush on the same handle also reports errors in between. */
async function writeThrough({ write, flush }: OpenFile, bytes: Uint8Array, offset: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) written += write(bytes.subarray(written), offset + written)
  await flush()
}

const unlessMissing =
  <Value>(value: Value) =>
  (error: NodeJS.ErrnoException): Value => {
    if (error.code === 'ENOENT') return value
    throw error
  }
