import fs, { closeSync, constants, fstatSync, openSync } from 'node:fs'
import { devNull } from 'node:os'

/** A file that is open: what may be done with it. Offsets and lengths are in bytes. */
export type OpenFile = {
  /** Fills a buffer from an offset on, and returns how much there was. */
  read: (into: Uint8Array, offset: number) => Promise<number>
  readAll: () => Promise<Buffer>
  /** Returns how much of it was written. */
  write: (bytes: Uint8Array, offset: number) => number
  /** Writes through to the device. */
  flush: () => Promise<void>
}

/** Opens files, also when connections have taken every descriptor that the process may have. */
export type Descriptors = {
  using: <Result>(path: string, flags: number, use: (file: OpenFile) => Promise<Result>) => Promise<Result>
}

/** What says that there is no descriptor left, of the process or of the machine. */
const EXHAUSTED = new Set(['EMFILE', 'ENFILE'])

/**
 * Waits only for what a device does: to open, write and close is done in the machine's memory, and each of them, waited
 * for, would cost a turn of the event loop, of which a busy relay makes few.
 *
 * Keeps so many descriptors in reserve. One is let go and taken again within one turn of the event loop, in which no
 * connection is accepted, and put back in the same way.
 */
export function createDescriptors({ reserved, mode }: { reserved: number; mode: number }): Descriptors {
  const reserve: number[] = []

  function fillReserve(): void {
    while (reserve.length < reserved) reserve.push(openSync(devNull, constants.O_RDONLY))
  }

  function openOne(path: string, flags: number): number {
    try {
      if (reserve.length < reserved) fillReserve()
      return openSync(path, flags, mode)
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      const spare = EXHAUSTED.has(code) ? reserve.pop() : undefined
      if (spare === undefined) throw error
      closeSync(spare)
      return openSync(path, flags, mode)
    }
  }

  function closeOne(descriptor: number): void {
    closeSync(descriptor)
    if (reserve.length < reserved) reserve.push(openSync(devNull, constants.O_RDONLY))
  }

  return {
    using: async (path, flags, use) => {
      const descriptor = openOne(path, flags)
      try {
        return await use(fileOf(descriptor))
      } finally {
        closeOne(descriptor)
      }
    },
  }
}

function fileOf(descriptor: number): OpenFile {
  const read: OpenFile['read'] = (into, offset) =>
    promised((done) => fs.read(descriptor, into, 0, into.length, offset, done))

  async function readAll(): Promise<Buffer> {
    const { size } = fstatSync(descriptor)
    const bytes = Buffer.alloc(size)
    for (let had = 0; had < size; ) {
      const more = await read(bytes.subarray(had), had)
      if (more === 0) return bytes.subarray(0, had)
      had += more
    }
    return bytes
  }

  return {
    read,
    readAll,
    write: (bytes, offset) => fs.writeSync(descriptor, bytes, 0, bytes.length, offset),
    flush: () => promised((done) => fs.fsync(descriptor, done)),
  }
}

const promised = <Result>(call: (done: (error: Error | null, result?: Result) => void) => void): Promise<Result> =>
  new Promise((resolve, reject) => {
    call((error, result) => (error ? reject(error) : resolve(result as Result)))
  })
