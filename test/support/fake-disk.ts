import { dirname } from 'node:path'
import type { Disk } from '../../src/relay/adapters/store/file/disk.ts'

/** What is to go wrong at the operation of a number, counted from 1: it fails whole or half done, once or for ever (the process is gone). */
export type DiskFault = { at: number; done: 'nothing' | 'half' | 'all'; after: 'recovers' | 'dies' }

/** A disk in memory that knows what a power cut would leave. */
export type FakeDisk = Disk & {
  /** How many changing operations were asked for since the start. */
  operations: () => number
  bytesWritten: () => number
  /** Plans faults in place of those planned before. */
  fail: (...faults: DiskFault[]) => void
  /** The disk as the next process finds it: with every name as it was seen last, or only with those that were flushed. */
  afterCrash: (names: 'seen' | 'flushed') => FakeDisk
  files: () => readonly string[]
  holds: (text: string) => boolean
}

/** Contents belong to a file, which may have two names for a moment; `room` begins with them, and nobody was given what follows. */
type File = { bytes: Buffer; room: Buffer }
type Names = Map<string, File>

const EMPTY = Buffer.alloc(0)
const fileOf = (bytes: Buffer): File => ({ bytes, room: bytes })

/** An empty disk, or one with the given names. */
export function createFakeDisk(start: Names = new Map()): FakeDisk {
  const seen: Names = new Map(start)
  const flushed: Names = new Map(start)
  let operations = 0
  let bytesWritten = 0
  let faults: readonly DiskFault[] = []
  let dead = false

  /** Runs one operation, or as much of it as the planned fault lets through; `half` is what a torn one leaves. */
  async function operate(whole: () => void, half: () => void = () => {}): Promise<void> {
    if (dead) throw new Error('EIO: the process is gone')
    operations += 1
    const fault = faults.find(({ at }) => at === operations)
    if (fault === undefined) return whole()
    const { done, after } = fault
    if (after === 'dies') dead = true
    if (done === 'all') whole()
    if (done === 'half') half()
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  }

  function put(path: string, offset: number, bytes: Uint8Array, truncated: boolean): void {
    const file = seen.get(path) ?? fileOf(EMPTY)
    seen.set(path, file)
    const kept = truncated ? EMPTY : file.bytes
    const length = Math.max(kept.length, offset + bytes.length)
    // What was read before stays as it was: only behind it is written in place.
    if (truncated || offset < kept.length || length > file.room.length) {
      file.room = Buffer.alloc(truncated ? length : 2 * length)
      kept.copy(file.room)
    }
    file.room.set(bytes, offset)
    file.bytes = file.room.subarray(0, length)
    bytesWritten += bytes.length
  }

  function find(path: string): File {
    const file = seen.get(path)
    if (file === undefined) throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' })
    return file
  }

  const halfOf = (bytes: Uint8Array) => bytes.subarray(0, Math.floor(bytes.length / 2))

  return {
    makeDir: async () => {},
    list: async (dir) =>
      [...seen.keys()].filter((path) => dirname(path) === dir).map((path) => path.slice(dir.length + 1)),
    read: async (path) => seen.get(path)?.bytes ?? null,
    readAt: async (path, offset, length) => find(path).bytes.subarray(offset, offset + length),
    write: (path, bytes) =>
      operate(
        () => put(path, 0, bytes, true),
        () => put(path, 0, halfOf(bytes), true),
      ),
    writeAt: (path, offset, bytes) =>
      operate(
        () => put(path, offset, bytes, false),
        () => put(path, offset, halfOf(bytes), false),
      ),
    truncate: (path, length) =>
      operate(() => {
        const file = find(path)
        file.bytes = file.bytes.subarray(0, length)
        file.room = file.bytes
      }),
    rename: (from, to) =>
      operate(() => {
        seen.set(to, find(from))
        seen.delete(from)
      }),
    remove: (path) => operate(() => void seen.delete(path)),
    flushDir: (dir) =>
      operate(() => {
        for (const path of new Set([...seen.keys(), ...flushed.keys()])) {
          if (dirname(path) !== dir) continue
          const file = seen.get(path)
          if (file === undefined) flushed.delete(path)
          else flushed.set(path, file)
        }
      }),
    operations: () => operations,
    bytesWritten: () => bytesWritten,
    fail: (...planned) => {
      faults = planned
    },
    afterCrash: (names) => {
      const left = names === 'seen' ? seen : flushed
      return createFakeDisk(new Map([...left].map(([path, { bytes }]) => [path, fileOf(Buffer.from(bytes))])))
    },
    files: () => [...seen.keys()],
    holds: (text) => [...seen.values()].some(({ bytes }) => bytes.includes(text)),
  }
}
