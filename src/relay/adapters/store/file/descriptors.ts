import fs, { closeSync, constants, fstatSync, openSync } from 'node:fs'
import { devNull } from 'node:os'

/** Offsets and lengths are in bytes. */
export type OpenFile = ReturnType<typeof fileOf>

/** No descriptor left: of the process, of the machine. */
const EXHAUSTED = new Set(['EMFILE', 'ENFILE'])

/**
 * Opens files even when connections have taken every descriptor of the process. Awaits only the device. Open, write
 * and close run in the machine's memory, and awaiting each would cost a turn of the event loop, of which a busy relay
 * makes few.
 *
 * Keeps `reserved` descriptors. One is released and taken again within one turn of the event loop, in which no
 * connection is accepted, and returned in the same way.
 */
export function createDescriptors({ reserved, mode }: { reserved: number; mode: number }) {
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
    using: async <Result>(path: string, flags: number, use: (file: OpenFile) => Promise<Result>): Promise<Result> => {
      const descriptor = openOne(path, flags)
      try {
        return await use(fileOf(descriptor))
      } finally {
        closeOne(descriptor)
      }
    },
  }
}

function fileOf(descriptor: number) {
  /** Fills a buffer from an offset on, and returns the number of bytes read. */
  const read = (into: Uint8Array, offset: number) =>
    promised<number>((done) => fs.read(descriptor, into, 0, into.length, offset, done))

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
    /** Returns the number of bytes written. */
    write: (bytes: Uint8Array, offset: number): number => fs.writeSync(descriptor, bytes, 0, bytes.length, offset),
    /** Flushes to the device. */
    flush: () => promised<void>((done) => fs.fsync(descriptor, done)),
  }
}

const promised = <Result>(call: (done: (error: Error | null, result?: Result) => void) => void): Promise<Result> =>
  new Promise((resolve, reject) => {
    call((error, result) => (error ? reject(error) : resolve(result as Result)))
  })
