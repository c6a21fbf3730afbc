import type { Journal } from '../journal/journal.ts'
import type { JournalRow } from '../journal/rows.ts'
import { rowAsItStands, rowPlace, type TableName, type Tables } from '../tables.ts'
import { type Extent, type Family, isSameFile, REWRITTEN, type SegmentFile } from './extents.ts'
import type { StoredRow } from './segments.ts'

/** A file to drop, and its rows that must be written again first. */
export type Outdated = { file: SegmentFile; rows: readonly JournalRow[] }

/** The subject of a row of the journal: the row of a table, or the quoters of a request. */
type Subject = { table: TableName | 'quoters'; key: string }

/** A live subject: the oldest file that it needs, and its bytes. */
type Kept = Subject & { oldest: SegmentFile; bytes: number }

/** Obsolete bytes that a family may have before any of it is cleared away. */
const SLACK_BYTES = 4 * 1024 * 1024

/**
 * The rows of the rewritten families that are still needed: the current ones of `tables`, and `quoters`, which the rows
 * add up to.
 */
export function createLiveRows({ tables, quoters }: { tables: Tables; quoters: Journal['quoters'] }) {
  const kept = new Map<string, Kept>()
  const neededBytes = new Map<Family, number>()
  const need = (family: Family, bytes: number) => neededBytes.set(family, (neededBytes.get(family) ?? 0) + bytes)
  const nameOf = ({ table, key }: Subject) => `${table} ${key}`

  const isOver = ({ table, key }: Subject): boolean =>
    table === 'quoters' ? !quoters().has(key) : !tables[table].has(key)

  function forget(subject: Subject): void {
    const former = kept.get(nameOf(subject))
    if (former === undefined) return
    need(former.oldest.family, -former.bytes)
    kept.delete(nameOf(subject))
  }

  /** The newest row of a table replaces all before it; rows of quoters add up. */
  function keep(subject: Subject, { file, bytes }: StoredRow): void {
    const former = subject.table === 'quoters' ? kept.get(nameOf(subject)) : undefined
    forget(subject)
    const needed = (former?.bytes ?? 0) + bytes
    need(file.family, needed)
    kept.set(nameOf(subject), { ...subject, oldest: former?.oldest ?? file, bytes: needed })
  }

  const toldBy = (file: SegmentFile): Kept[] => [...kept.values()].filter(({ oldest }) => isSameFile(oldest, file))

  function rowOf({ table, key }: Subject): JournalRow | null {
    if (table !== 'quoters') return rowAsItStands(tables, table, key)
    const rows = [...(quoters().get(key)?.values() ?? [])].map((quoter) => quoterRow(quoter))
    return rows.length === 0 ? null : { kind: 'quoted', requestId: key, quoters: rows }
  }

  return {
    /** Adds a durable row. */
    add: (stored: StoredRow): void => {
      const subject = subjectOf(stored.row)
      if (subject === null) return
      if (isOver(subject)) forget(subject)
      else if (stored.row.kind !== 'told') keep(subject, stored)
    },
    /** The oldest file of each family whose obsolete rows outweigh the rest. */
    outdated: (extents: readonly Extent[]): readonly Outdated[] =>
      REWRITTEN.flatMap((family) => {
        const files = extents.filter((extent) => extent.family === family)
        const [oldest] = files
        const heldBytes = files.reduce((sum, { bytes }) => sum + bytes, 0)
        const isWorth = heldBytes > 2 * (neededBytes.get(family) ?? 0) + SLACK_BYTES
        if (oldest === undefined || files.length < 2 || !isWorth) return []
        return [{ file: oldest, rows: toldBy(oldest).flatMap((subject) => rowOf(subject) ?? []) }]
      }),
    /** The file is gone; its rows are about to be added at their new places. */
    letGo: (file: SegmentFile): void => toldBy(file).forEach(forget),
  }
}

const quoterRow = ({ makerId, quoteId, misses }: { makerId: string; quoteId: string; misses: number }) =>
  [makerId, quoteId, misses] as const

function subjectOf(row: JournalRow): Subject | null {
  if (row.kind === 'quoted' || row.kind === 'told') return { table: 'quoters', key: row.requestId }
  return rowPlace(row)
}
