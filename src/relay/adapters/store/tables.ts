import type { ProtectionState } from '@rfqctl/protocol/domain/maker-protections'
import type { Suspension } from '@rfqctl/protocol/domain/maker-record'
import type { QuoteRequest } from '@rfqctl/protocol/domain/request'
import type {
  Acceptance,
  ApiKey,
  BlockDecision,
  Escalation,
  OrderCheckpoint,
  PinnedResolution,
  User,
} from '../../core/ports/store.ts'
import type { Encoded } from './codec.ts'
import type { JournalRow } from './journal/rows.ts'

/**
 * The row of each small table, as JSON. Ended subjects move to the journal. On disk all tables but those of
 * `DOCUMENT_TABLES` are kept in the journal as well, change by change.
 */
export type Rows = {
  /** Open requests by requestId. */
  requests: Encoded<QuoteRequest>
  /** Pending acceptances by requestId: at most one each, which is invariant V1. */
  acceptances: AcceptedRow
  /** By requestId: the nonce of each maker wallet, in lower case. */
  allotments: Readonly<Record<string, number>>
  /** By maker wallet, in lower case: its next nonce, in a store of a former version. No longer read. */
  nonces: number
  /** By seriesId. */
  resolutions: PinnedResolution
  /** By seriesId. */
  escalations: Escalation
  /** By wallet, in lower case: when it took its turn, Unix milliseconds. */
  faucetClaims: number
  /** By idpDid; `mayChoose` until its makerId is settled, absent in rows of former versions. */
  users: UserRow
  /** By makerId. */
  blocks: BlockDecision
  /** By makerId; `countedFrom`, Unix milliseconds: earlier acceptances do not count. */
  protections: Encoded<ProtectionState> & { countedFrom: number }
  /** By makerId: the last suspension. */
  suspensions: Suspension
  /** Under `orders`: how far the ends of orders are known. */
  watch: OrderCheckpoint
  /** By the digest of the secret. */
  apiKeys: ApiKey
  /**
   * `streamEpoch`: the epoch of stream ids (decision M1). `faucetTaken`: turns at
   * the faucet in the hour `faucetHour`.
   */
  counters: number
}

/** `countedAt`, Unix milliseconds, where it counts in the windows of its maker's protections. */
export type AcceptedRow = Encoded<Acceptance> & { countedAt?: number }

/** A user may choose its makerId as long as it has never had a key. */
export type UserRow = User & { mayChoose?: true }

export type TableName = keyof Rows

/** Tables that stay small however many use the relay: each change writes them whole, as part of the document. */
const DOCUMENT_TABLES = ['watch', 'counters'] as const satisfies readonly TableName[]

/**
 * Tables by requestId whose rows come and go with a request. Strangers decide how many there are, as for most other
 * tables, so a change must not cost in proportion to all rows.
 */
const REQUEST_TABLES = ['requests', 'acceptances', 'allotments'] as const satisfies readonly TableName[]

type RequestTable = (typeof REQUEST_TABLES)[number]
type LastingTable = Exclude<TableName, RequestTable | (typeof DOCUMENT_TABLES)[number]>

/** A change of one row of a request table; null for a removed row. */
export type RequestChange = {
  [Name in RequestTable]: { table: Name; requestId: string; row: Rows[Name] | null }
}[RequestTable]

/** A change of one row of a table that outlasts requests, such as accounts and resolutions; null for a removed row. */
export type LastingChange = {
  [Name in LastingTable]: { table: Name; key: string; row: Rows[Name] | null }
}[LastingTable]

/** Only `applyChanges` changes them, once a change is durable. */
export type Tables = { readonly [Name in TableName]: ReadonlyMap<string, Rows[Name]> }

export type SavedTables = { readonly [Name in TableName]?: readonly [string, Rows[Name]][] }

/** A change in progress: it sees its own writes, and no one else does before it is committed. */
export type Draft = {
  get: <Name extends TableName>(table: Name, key: string) => Rows[Name] | undefined
  rows: <Name extends TableName>(table: Name) => IterableIterator<[string, Rows[Name]]>
  set: <Name extends TableName>(table: Name, key: string, row: Rows[Name]) => void
  delete: (table: TableName, key: string) => void
  append: (row: JournalRow) => void
}

/** By table and key; null for a removed row. */
type Written = { [Name in TableName]?: Map<string, Rows[Name] | null> }

export type Changes = { written: Readonly<Written>; appended: readonly JournalRow[]; changed: boolean }

export const newTables = ({ streamEpoch }: { streamEpoch: number }): Tables => ({
  requests: new Map(),
  acceptances: new Map(),
  allotments: new Map(),
  nonces: new Map(),
  resolutions: new Map(),
  escalations: new Map(),
  faucetClaims: new Map(),
  users: new Map(),
  apiKeys: new Map(),
  blocks: new Map(),
  protections: new Map(),
  suspensions: new Map(),
  watch: new Map(),
  counters: new Map([['streamEpoch', streamEpoch]]),
})

/** The document's part of the tables, as of after the changes. */
export const saveTables = (tables: Tables, { written }: Pick<Changes, 'written'> = { written: {} }): SavedTables =>
  Object.fromEntries(DOCUMENT_TABLES.map((name) => [name, [...rowsAfter<unknown>(tables[name], written[name])]]))

export const changedRows = ({ written }: Pick<Changes, 'written'>): JournalRow[] =>
  tableNames(written).flatMap((table) => [...(written[table] ?? [])].map(([key, row]) => journalRow(table, key, row)))

export const standingRows = (tables: Tables): JournalRow[] =>
  tableNames(tables).flatMap((table) => [...tables[table]].map(([key, row]) => journalRow(table, key, row)))

export const rowAsItStands = (tables: Tables, table: TableName, key: string): JournalRow | null => {
  const row = tables[table].get(key)
  return row === undefined ? null : journalRow(table, key, row)
}

/** The place that a row of the journal changes; null for a row without one. */
export function rowPlace(row: JournalRow): { table: TableName; key: string } | null {
  if (row.kind === 'changed') return { table: row.change.table, key: row.change.requestId }
  return row.kind === 'stored' ? row.change : null
}

export function applyJournalRow(tables: Tables, stored: JournalRow): void {
  if (stored.kind !== 'changed' && stored.kind !== 'stored') return
  const { table, key } = rowPlace(stored) as NonNullable<ReturnType<typeof rowPlace>>
  const rows = tables[table] as Map<string, unknown>
  if (stored.change.row === null) rows.delete(key)
  else rows.set(key, stored.change.row)
}

const journalRow = (table: TableName, key: string, row: Rows[TableName] | null): JournalRow =>
  (isOneOf(REQUEST_TABLES, table)
    ? { kind: 'changed', change: { table, requestId: key, row } }
    : { kind: 'stored', change: { table, key, row } }) as JournalRow

/** Only the tables that the journal keeps. */
const tableNames = (tables: { readonly [Name in TableName]?: unknown }): TableName[] =>
  (Object.keys(tables) as TableName[]).filter((name) => !isOneOf(DOCUMENT_TABLES, name))

const isOneOf = (names: readonly TableName[], name: TableName): boolean => names.includes(name)

/** A table that this version has added is empty. */
export function restoreTables(saved: SavedTables): Tables {
  const blank = newTables({ streamEpoch: 0 })
  const filled = Object.keys(blank).map((name) => [name, new Map<string, unknown>(saved[name as TableName])])
  return { ...blank, ...Object.fromEntries(filled) }
}

/**
 * A draft over `base`, which stays as it is. It holds only its writes: with a copy of each table that it touches, every
 * request would cost in proportion to all open ones, which was a quarter of a round of ten quotes.
 */
export function createDraft(base: Tables): Draft & { changes: () => Changes } {
  const written: Written = {}
  const appended: JournalRow[] = []

  function write<Name extends TableName>(table: Name, key: string, row: Rows[Name] | null): void {
    const rows = (written[table] ?? new Map()) as Map<string, Rows[Name] | null>
    Object.assign(written, { [table]: rows.set(key, row) })
  }

  function get<Name extends TableName>(table: Name, key: string): Rows[Name] | undefined {
    const row = (written[table] as Map<string, Rows[Name] | null> | undefined)?.get(key)
    return row === undefined ? base[table].get(key) : (row ?? undefined)
  }

  return {
    get,
    rows: <Name extends TableName>(table: Name) =>
      rowsAfter<Rows[Name]>(base[table], written[table] as Map<string, Rows[Name] | null> | undefined),
    set: write,
    delete: (table, key) => {
      if (get(table, key) !== undefined) write(table, key, null)
    },
    append: (row) => void appended.push(row),
    changes: () => ({ written, appended, changed: appended.length > 0 || Object.keys(written).length > 0 }),
  }
}

/** A written row goes last, so that the oldest come first. */
export function applyChanges(tables: Tables, { written }: Changes): void {
  for (const [name, changes] of Object.entries(written)) {
    const rows = tables[name as TableName] as Map<string, unknown>
    for (const [key, row] of changes) {
      rows.delete(key)
      if (row !== null) rows.set(key, row)
    }
  }
}

function* rowsAfter<Row>(
  rows: ReadonlyMap<string, Row>,
  changes: ReadonlyMap<string, Row | null> = new Map(),
): IterableIterator<[string, Row]> {
  for (const entry of rows) if (!changes.has(entry[0])) yield entry
  for (const [key, row] of changes) if (row !== null) yield [key, row]
}
