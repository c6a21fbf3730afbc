import type { Journal } from '../journal/journal.ts'
import type { JournalRow } from '../journal/rows.ts'
import { requestRows, type Tables } from '../tables.ts'
import { type Extent, isSameFile, type SegmentFile } from './extents.ts'
import type { StoredRow } from './segments.ts'

/** What the files of the family `requests` hold that is still needed: all that is known of requests that are not over. */
export type RequestLog = {
  /** Takes in a row that is durable. */
  add: (row: StoredRow) => void
  /** The oldest file, once what is over outweighs the rest, and the rows that must be written again before it goes. */
  outdated: (extents: readonly Extent[]) => { file: SegmentFile; rows: readonly JournalRow[] } | null
  /** That file has gone, and its rows are about to be added where they lie now. */
  letGo: (file: SegmentFile) => void
}

/** A request that is not over: the oldest file that tells of it, and how many bytes are needed of each kind. */
type Kept = { oldest: SegmentFile; bytes: Map<string, number> }

/** How much may be over before any of it is cleared away, in bytes. */
const SLACK_BYTES = 4 * 1024 * 1024

/** A log that has nothing in it yet, over the tables and the quoters that its rows have come to. */
export function createRequestLog({
  tables,
  quoters,
  slackBytes = SLACK_BYTES,
}: {
  tables: Tables
  quoters: Journal['quoters']
  slackBytes?: number
}): RequestLog {
  const kept = new Map<string, Kept>()
  let neededBytes = 0

  /** The newest row of a table stands for all before it; rows of quoters add up. */
  function keep(requestId: string, part: string, { file, bytes }: StoredRow): void {
    const entry = kept.get(requestId) ?? { oldest: file, bytes: new Map<string, number>() }
    kept.set(requestId, entry)
    const former = entry.bytes.get(part) ?? 0
    const needed = part === 'quoters' ? former + bytes : bytes
    entry.bytes.set(part, needed)
    neededBytes += needed - former
  }

  function forget(requestId: string): void {
    for (const bytes of kept.get(requestId)?.bytes.values() ?? []) neededBytes -= bytes
    kept.delete(requestId)
  }

  /** The requests that a file must be asked for. */
  const toldBy = (file: SegmentFile): string[] =>
    [...kept].flatMap(([requestId, { oldest }]) => (isSameFile(oldest, file) ? [requestId] : []))

  const isOver = (requestId: string) => !tables.requests.has(requestId) && !quoters().has(requestId)

  function rowsOf(requestId: string): JournalRow[] {
    const changes = requestRows(tables, requestId).map((change) => ({ kind: 'changed' as const, change }))
    const ofRequest = [...(quoters().get(requestId) ?? [])]
    if (ofRequest.length === 0) return changes
    const rows = ofRequest.map(([makerId, { quoteId, misses }]) => [makerId, quoteId, misses] as const)
    return [...changes, { kind: 'quoted', requestId, quoters: rows }]
  }

  return {
    add: (stored) => {
      const { row } = stored
      if (row.kind === 'changed') keep(row.change.requestId, row.change.table, stored)
      else if (row.kind === 'quoted') keep(row.requestId, 'quoters', stored)
      else if (row.kind !== 'told') return
      const requestId = row.kind === 'changed' ? row.change.requestId : row.requestId
      if (isOver(requestId)) forget(requestId)
    },
    outdated: (extents) => {
      const files = extents.filter(({ family }) => family === 'requests')
      const [oldest] = files
      const heldBytes = files.reduce((sum, { bytes }) => sum + bytes, 0)
      if (oldest === undefined || files.length < 2 || heldBytes <= 2 * neededBytes + slackBytes) return null
      return { file: oldest, rows: toldBy(oldest).flatMap(rowsOf) }
    },
    letGo: (file) => toldBy(file).forEach(forget),
  }
}
