import { crc32 } from 'node:zlib'
import type { JournalRow } from '../journal/rows.ts'

/** The place of a row in its file, in bytes. */
export type LocatedRow = { row: JournalRow; offset: number; length: number }

const LINE = /^\{"crc":"([0-9a-f]{8})",(?:"after":(\d+),)?"row":(.*)\}$/s

export const NEWLINE = 0x0a

/** One line of NDJSON with its own checksum, and `after`, the number of the last save before it was written. */
export function encodeLine(row: JournalRow, after?: number): Buffer {
  const text = JSON.stringify(row)
  const mark = after === undefined ? '' : `"after":${after},`
  return Buffer.from(`{"crc":"${checksum(mark, text)}",${mark}"row":${text}}\n`)
}

/** Null for a line that `encodeLine` did not make. */
export const decodeLine = (bytes: Buffer): JournalRow | null => {
  const text = openLine(bytes)?.text
  return text === undefined ? null : JSON.parse(text)
}

/** The highest number of a save in the undamaged lines of some bytes; -1 where no line has one. */
export function newestSaveIn(bytes: Buffer): number {
  let newest = -1
  for (let offset = 0, end = 0; offset < bytes.length; offset = end) {
    end = bytes.indexOf(NEWLINE, offset) + 1 || bytes.length
    newest = Math.max(newest, openLine(bytes.subarray(offset, end))?.after ?? -1)
  }
  return newest
}

function openLine(bytes: Buffer): { after: number | null; text: string } | null {
  const [, crc, after, text = ''] = LINE.exec(bytes.toString().trimEnd()) ?? []
  if (crc !== checksum(after === undefined ? '' : `"after":${after},`, text)) return null
  return { after: after === undefined ? null : Number(after), text }
}

/** All rows of a file; null when a line of it is damaged. */
export function decodeLines(bytes: Buffer): LocatedRow[] | null {
  const rows: LocatedRow[] = []
  for (let offset = 0; offset < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, offset) + 1
    const row = end === 0 ? null : decodeLine(bytes.subarray(offset, end))
    if (row === null) return null
    rows.push({ row, offset, length: end - offset })
    offset = end
  }
  return rows
}

const checksum = (mark: string, text: string): string => crc32(text, crc32(mark)).toString(16).padStart(8, '0')
