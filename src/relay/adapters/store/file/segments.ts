import { crc32 } from 'node:zlib'
import type { JournalRow } from '../journal/rows.ts'
import { corrupt } from '../open-error.ts'
import type { Disk } from './disk.ts'
import {
  type Extent,
  FAMILIES,
  type Family,
  familyOf,
  fileName,
  fullBytesOf,
  isOutdated,
  isSameFile,
  parseFileName,
  type SegmentFile,
  withExtent,
} from './extents.ts'
import { decodeLine, decodeLines, encodeLine, type LocatedRow, NEWLINE, newestSaveIn } from './lines.ts'

/** Distance between the locations of two files: above any file's size, with room for millions of files. */
const FILE_STEP = 2 ** 32

/** First read for one row. */
const LINE_BYTES = 4_096

/**
 * The place of a row as one number: the index holds one for each row of the journal, where a function that fetches the
 * row takes 112 bytes, a number 8. The number of the file in the order of discovery, times 2^32, plus the offset in it.
 */
export type Location = number

export type StoredRow = { row: JournalRow; location: Location; file: SegmentFile; bytes: number }

/**
 * Rows that are being written. They count once their extents are saved, which must not be before `written` has resolved; it
 * waits for all writes, and fails when one has failed.
 */
export type Append = { extents: readonly Extent[]; rows: readonly StoredRow[]; written: () => Promise<void> }

type Plan = { extents: Extent[]; rows: StoredRow[]; writes: { extent: Extent; bytes: Buffer }[] }

/**
 * `without`: files whose rows are no longer needed. The audit rows of requests that came to a trade are kept longer.
 * `after`: the number of successful saves, which the first line of each write repeats.
 */
export type AppendOptions = {
  without?: readonly SegmentFile[]
  isOfTrade?: (requestId: string) => boolean
  after?: number
}

/** Append-only files of rows of an existing folder, in the order of time; `saved` are the extents of the last run. */
export function createSegments(parts: { disk: Disk; dir: string; saved: readonly Extent[]; fullBytes?: number }) {
  const { disk, dir, saved, fullBytes } = parts
  /** The files that count, those of a family in the order of their numbers. */
  let extents = saved
  /** There may be bytes or files that no extent counts. */
  let untidy = true
  /** By family: the lowest number of a file that can be written to. */
  const firstWritable = new Map<Family, number>()
  /** Every discovered file, and its index by name. */
  const files: SegmentFile[] = []
  const indexes = new Map<string, number>()
  const pathOf = (file: SegmentFile) => `${dir}/${fileName(file)}`

  /** Every row that counts, of some families or all, oldest first in each. Refuses with a `StoreOpenError` when one is damaged. */
  async function* scan(families: readonly Family[] = FAMILIES): AsyncGenerator<StoredRow> {
    for (const extent of extents.filter(({ family }) => families.includes(family))) {
      const { rows, crc } = await readExtent(disk, dir, extent)
      if (extent.crc === null) extents = extents.map((one) => (isSameFile(one, extent) ? { ...one, crc } : one))
      for (const { row, offset, length } of rows) {
        yield { row, location: locationOf(extent, offset), file: extent, bytes: length }
      }
    }
  }

  /**
   * The highest save number in the lines beyond the extents; -1 where there are none. An append that was cut off
   * carries the number of the current save.
   */
  async function newestSaveBehind(): Promise<number> {
    let newest = -1
    for (const name of await disk.list(dir)) {
      const file = parseFileName(name)
      if (file === null) continue
      const counted = extents.find((extent) => isSameFile(extent, file))?.bytes ?? 0
      // Nearly all of them end where they count.
      if ((await disk.readAt(pathOf(file), counted, 1)).length === 0) continue
      const bytes = await disk.read(pathOf(file))
      newest = Math.max(newest, newestSaveIn(bytes?.subarray(counted) ?? Buffer.alloc(0)))
    }
    return newest
  }

  function locationOf(file: SegmentFile, offset: number): Location {
    const name = fileName(file)
    const index = indexes.get(name) ?? files.push({ family: file.family, number: file.number }) - 1
    indexes.set(name, index)
    return index * FILE_STEP + offset
  }

  /** Null when the row's file was dropped. Refuses with a `StoreOpenError` when it is damaged. */
  async function load(location: Location): Promise<JournalRow | null> {
    const file = files[Math.floor(location / FILE_STEP)] as SegmentFile
    const offset = location % FILE_STEP
    const path = pathOf(file)
    try {
      const row = decodeLine(await readLine(path, offset))
      if (row === null) throw corrupt(path, `is damaged at byte ${offset}`)
      return row
    } catch (error) {
      if (extents.some((extent) => isSameFile(extent, file))) throw error
      return null
    }
  }

  /** Reads more and more until the line ends. Nearly every row is shorter than the first read. */
  async function readLine(path: string, offset: number): Promise<Buffer> {
    for (let length = LINE_BYTES; ; length *= 2) {
      const bytes = await disk.readAt(path, offset, length)
      const end = bytes.indexOf(NEWLINE) + 1
      if (end > 0) return bytes.subarray(0, end)
      if (bytes.length < length) return bytes
    }
  }

  /** The file for the family's next rows: the last one, unless it is full or must not be touched. */
  function writable(family: Family): Extent {
    const last = extents.findLast((extent) => extent.family === family)
    const lowest = firstWritable.get(family) ?? 1
    if (last !== undefined && last.number >= lowest && last.bytes < fullBytesOf(family, fullBytes)) return last
    return emptyExtent(family, Math.max((last?.number ?? 0) + 1, lowest))
  }

  /** Places rows of one family after those that count, in as many files as needed: a file is full by its content. */
  function planFamily(
    family: Family,
    rows: readonly JournalRow[],
    { now, after }: { now: number; after: number },
  ): Plan {
    const lines = rows.map((row, index) => encodeLine(row, index === 0 ? after : undefined))
    const plan: Plan = { extents: [], rows: [], writes: [] }
    let target = writable(family)
    for (let start = 0; start < lines.length; ) {
      let end = start
      for (
        let { bytes } = target;
        end < lines.length && (end === start || bytes < fullBytesOf(family, fullBytes));
        end += 1
      ) {
        bytes += (lines[end] as Buffer).length
      }
      planFile(plan, target, { rows: rows.slice(start, end), lines: lines.slice(start, end), now })
      target = emptyExtent(family, target.number + 1)
      start = end
    }
    return plan
  }

  function planFile(
    { extents, rows: stored, writes }: Plan,
    extent: Extent,
    { rows, lines, now }: { rows: readonly JournalRow[]; lines: readonly Buffer[]; now: number },
  ): void {
    let end = extent.bytes
    lines.forEach((line, i) => {
      const location = locationOf(extent, end)
      stored.push({ row: rows[i] as JournalRow, location, file: extent, bytes: line.length })
      end += line.length
    })
    const bytes = Buffer.concat(lines)
    const crc = extent.crc === null ? null : crc32(bytes, extent.crc)
    extents.push({ ...extent, bytes: end, newestAt: now, crc })
    writes.push({ extent, bytes })
  }

  async function write({ extent, bytes }: Plan['writes'][number]): Promise<void> {
    await disk.writeAt(pathOf(extent), extent.bytes, bytes)
    if (extent.bytes === 0) await disk.flushDir(dir)
  }

  /**
   * Begins to write rows after those that count, and drops files whose rows are no longer needed. One append at a time:
   * once all writes have ended it is followed by `accept` or `abandon`. The files are written at the same time: a device
   * flushes several in little more time than one.
   */
  async function append(
    rows: readonly JournalRow[],
    now: number,
    { without = [], isOfTrade = () => false, after = 0 }: AppendOptions = {},
  ): Promise<Append> {
    const isKept = (extent: Extent) => !isOutdated(extent, now) && !without.some((file) => isSameFile(extent, file))
    const plans = FAMILIES.map((family) => {
      const ofFamily = rows.filter((row) => familyOf(row) === family)
      return planFamily(family, ofFamily, { now, after })
    })
    const kept = extents.filter(isKept)
    const extentsNow = () => plans.flatMap((plan) => plan.extents).reduce(withExtent, kept)
    plans.push(planFamily('trades', await rescue(kept, extentsNow(), isOfTrade), { now, after }))
    const ended = Promise.allSettled(plans.flatMap(({ writes }) => writes.map(write)))
    return {
      extents: extentsNow(),
      rows: plans.flatMap((plan) => plan.rows),
      written: async () => {
        // Waits for all of them, so that none is still writing when the next append begins.
        for (const result of await ended) if (result.status === 'rejected') throw result.reason
      },
    }
  }

  /** The rows about trades in files of the audit log that make room: strangers' many rows must not displace them. */
  async function rescue(
    before: readonly Extent[],
    after: readonly Extent[],
    isOfTrade: (requestId: string) => boolean,
  ): Promise<readonly JournalRow[]> {
    const gone = before.filter((file) => file.family === 'audit' && !after.some((kept) => isSameFile(kept, file)))
    const rows: JournalRow[] = []
    for (const file of gone) {
      const bytes = await disk.read(pathOf(file))
      // A damaged file yields no rows, and must not prevent new ones from being written.
      for (const { row } of decodeLines(bytes?.subarray(0, file.bytes) ?? Buffer.alloc(0)) ?? []) {
        if (row.kind === 'audited' && isOfTrade(row.entry.requestId)) rows.push(row)
      }
    }
    return rows
  }

  /** The extents of the append are saved. Removes outdated files and the remains of failures. */
  async function accept(append: Append): Promise<void> {
    const dropped = extents.some((extent) => !append.extents.some((kept) => isSameFile(kept, extent)))
    extents = append.extents
    untidy ||= dropped
    if (untidy) await sweep()
  }

  /** The append failed. The save of a given one may have succeeded, so its bytes must not be overwritten. */
  function abandon(append: Append | null): void {
    untidy = true
    for (const { family, number } of append?.extents ?? []) {
      firstWritable.set(family, Math.max(firstWritable.get(family) ?? 1, number + 1))
    }
  }

  /**
   * Bytes that no extent counts are not part of the store: the rest of a failed or interrupted append, and dropped
   * files. They do no harm; a disk that refuses to remove them is tried again after the next append.
   */
  async function sweep(): Promise<void> {
    try {
      await tidy()
      untidy = false
    } catch {
      untidy = true
    }
  }

  async function tidy(): Promise<void> {
    for (const name of await disk.list(dir)) {
      const file = parseFileName(name)
      if (file === null) continue
      const extent = extents.find((candidate) => isSameFile(candidate, file))
      if (extent === undefined) await disk.remove(pathOf(file))
      else await disk.truncate(pathOf(file), extent.bytes)
    }
  }

  return { scan, load, newestSaveBehind, extents: () => extents, append, accept, abandon }
}

/** The bytes that count. Refuses with a `StoreOpenError` `corrupt` whatever is not as it was written. */
export async function readExtent(
  disk: Pick<Disk, 'read'>,
  dir: string,
  extent: Extent,
): Promise<{ bytes: Buffer; rows: readonly LocatedRow[]; crc: number }> {
  const path = `${dir}/${fileName(extent)}`
  const all = await disk.read(path)
  if (all === null) throw corrupt(path, 'is missing')
  if (all.length < extent.bytes) throw corrupt(path, `is truncated: ${all.length} of ${extent.bytes} bytes are left`)
  const bytes = all.subarray(0, extent.bytes)
  const rows = decodeLines(bytes)
  if (rows === null) throw corrupt(path, 'is damaged: a line does not match its checksum')
  const crc = crc32(bytes)
  if (extent.crc !== null && crc !== extent.crc) {
    throw corrupt(path, 'is damaged: its lines are not those that were written, or not in that order')
  }
  return { bytes, rows, crc }
}

const emptyExtent = (family: Family, number: number): Extent => ({ family, number, bytes: 0, newestAt: 0, crc: 0 })
