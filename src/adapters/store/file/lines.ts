import { crc32 } from 'node:zlib'
import type { JournalRow } from '../journal/rows.ts'

/** A row with the bytes that it takes in its file. */
export type LocatedRow = { row: JournalRow; offset: number; length: number }

const LINE = /^\{"crc":"([0-9a-f]{8})","row":(.*)\}$/s

/** What ends a line. */
export const NEWLINE = 0x0a

/** A row as one line of NDJSON that carries its own checksum. */
export function encodeLine(row: JournalRow): Buffer {
  const text = JSON.stringify(row)
  return Buffer.from(`{"crc":"${checksum(text)}","row":${text}}\n`)
}

/** The row of a line; null when it is not one that `encodeLine` made. */
export function decodeLine(bytes: Buffer): JournalRow | null {
  const [, crc, text = ''] = LINE.exec(bytes.toString().trimEnd()) ?? []
  return crc === checksum(text) ? JSON.parse(text) : null
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

const checksum = (text: string): string => crc32(text).toString(16).padStart(8, '0')
