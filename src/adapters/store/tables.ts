import type { ProtectionState } from '../../domain/maker-protections.ts'
import type { Suspension } from '../../domain/maker-record.ts'
import type { QuoteRequest } from '../../domain/request.ts'
import type {
  Acceptance,
  ApiKey,
  BlockDecision,
  Escalation,
  OrderCheckpoint,
  PinnedResolution,
  User,
} from '../../relay/ports/store.ts'
import type { Encoded } from './codec.ts'
import type { JournalRow } from './journal/rows.ts'

/**
 * The row of each small table, as JSON carries it. What has ended leaves them for the journal, so that they stay small.
 * The tables of `REQUEST_TABLES` are kept in the journal as well, change by change.
 */
export type Rows = {
  /** Open requests by requestId. */
  requests: Encoded<QuoteRequest>
  /** Pending acceptances by requestId: at most one each, which is invariant V1. */
  acceptances: AcceptedRow
  /** By requestId: the nonce of each maker wallet, in lower case. */
  allotments: Readonly<Record<string, number>>
  /** By maker wallet, in lower case: its next nonce. */
  nonces: number
  /** By seriesId. */
  resolutions: PinnedResolution
  /** By seriesId. */
  escalations: Escalation
  /** By wallet, in lower case: when it took its turn, Unix milliseconds. */
  faucetClaims: number
  /** By idpDid. */
  users: User
  /** By makerId. */
  blocks: BlockDecision
  /** By makerId; `countedFrom`, Unix milliseconds: what was accepted before does not count. */
  protections: Encoded<ProtectionState> & { countedFrom: number }
  /** By makerId: the last suspension of makers that had one. */
  suspensions: Suspension
  /** Under `orders`: how far the ends of orders are known. */
  watch: OrderCheckpoint
  /** By the digest of the secret. */
  apiKeys: ApiKey
  /**
   * `storeEpoch`: 20 random bits (decision C7). `streamEpoch`: how often the store was opened (decision M1). `faucetTaken`: turns at
   * the faucet in the hour `faucetHour`.
   */
  counters: number
}

/** A pending acceptance; `countedAt`, Unix milliseconds, where it counts in the windows of its maker's protections. */
export type AcceptedRow = Encoded<Acceptance> & { countedAt?: number }

/** The name of a small table. */
export type TableName = keyof Rows

/**
 * Tables by requestId whose rows come and go with a request. Strangers decide how many there are, so that a change must not
 * cost what all of them weigh: on disk each change is a row of the journal, and no part of the document.
 */
export const REQUEST_TABLES = ['requests', 'acceptances', 'allotments'] as const satisfies readonly TableName[]

/** A change of one row in one of them; null for one that was taken out. */
export type RequestChange = {
  [Name in (typeof REQUEST_TABLES)[number]]: { table: Name; requestId: string; row: Rows[Name] | null }
}[(typeof REQUEST_TABLES)[number]]

/** All small tables as they stand. No one changes them but `applyChanges`, once a change is durable. */
export type Tables = { readonly [Name in TableName]: ReadonlyMap<string, Rows[Name]> }

/** Tables as JSON: the entries of each. */
export type SavedTables = { readonly [Name in TableName]?: readonly [string, Rows[Name]][] }

/** A change in the making: it sees its own writes, and no one else does before it is committed. */
export type Draft = {
  get: <Name extends TableName>(table: Name, key: string) => Rows[Name] | undefined
  rows: <Name extends TableName>(table: Name) => IterableIterator<[string, Rows[Name]]>
  set: <Name extends TableName>(table: Name, key: string, row: Rows[Name]) => void
  delete: (table: TableName, key: string) => void
  /** Adds to the journal. */
  append: (row: JournalRow) => void
}

/** The rows that a draft wrote, by table and key; null for one that it took out. */
type Written = { [Name in TableName]?: Map<string, Rows[Name] | null> }

/** What a draft has come to. */
export type Changes = { written: Readonly<Written>; appended: readonly JournalRow[]; changed: boolean }

/** The tables of a new store. `storeEpoch`: 20 random bits (decision C7); `streamEpoch`: how often it was opened. */
export const newTables = ({ storeEpoch, streamEpoch }: { storeEpoch: number; streamEpoch: number }): Tables => ({
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
  counters: new Map([
    ['storeEpoch', storeEpoch],
    ['streamEpoch', streamEpoch],
  ]),
})

/** What the document keeps of tables, as they will stand after changes. */
export const saveTables = (tables: Tables, { written }: Pick<Changes, 'written'> = { written: {} }): SavedTables =>
  Object.fromEntries(
    Object.entries(tables)
      .filter(([name]) => !isRequestTable(name))
      .map(([name, rows]) => [name, [...rowsAfter<unknown>(rows, written[name as TableName])]]),
  )

/** What the journal keeps of changes. */
export const requestChanges = ({ written }: Pick<Changes, 'written'>): RequestChange[] =>
  REQUEST_TABLES.flatMap((table) =>
    [...(written[table] ?? [])].map(([requestId, row]) => changeOf(table, requestId, row)),
  )

/** What the journal keeps of one request. */
export const requestRows = (tables: Tables, requestId: string): RequestChange[] =>
  REQUEST_TABLES.flatMap((table) => {
    const row = tables[table].get(requestId)
    return row === undefined ? [] : [changeOf(table, requestId, row)]
  })

/** Makes a change that the journal kept part of the tables. */
export function applyRequestChange(tables: Tables, { table, requestId, row }: RequestChange): void {
  const rows = tables[table] as Map<string, unknown>
  if (row === null) rows.delete(requestId)
  else rows.set(requestId, row)
}

const changeOf = (table: RequestChange['table'], requestId: string, row: RequestChange['row']) =>
  ({ table, requestId, row }) as RequestChange

const isRequestTable = (name: string): boolean => (REQUEST_TABLES as readonly string[]).includes(name)

/** Tables from JSON; one that this version has added is empty. */
export function restoreTables(saved: SavedTables): Tables {
  const blank = newTables({ storeEpoch: 0, streamEpoch: 0 })
  const filled = Object.keys(blank).map((name) => [name, new Map<string, unknown>(saved[name as TableName])])
  return { ...blank, ...Object.fromEntries(filled) }
}

/**
 * A draft over `base`, which stays as it is. It holds only what it writes: with a copy of each table that it touches, every
 * request would cost what all open ones weigh, which was a quarter of a round of ten quotes.
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
    changes: () => ({
      written,
      appended,
      changed: appended.length > 0 || Object.keys(written).length > 0,
    }),
  }
}

/** Makes changes part of the tables; a row that was written goes last, so that the oldest come first. */
export function applyChanges(tables: Tables, { written }: Changes): void {
  for (const [name, changes] of Object.entries(written)) {
    const rows = tables[name as TableName] as Map<string, unknown>
    for (const [key, row] of changes) {
      rows.delete(key)
      if (row !== null) rows.set(key, row)
    }
  }
}

/** The rows of a table as they will stand after changes; those that were written come last. */
function* rowsAfter<Row>(
  rows: ReadonlyMap<string, Row>,
  changes: ReadonlyMap<string, Row | null> = new Map(),
): IterableIterator<[string, Row]> {
  for (const entry of rows) if (!changes.has(entry[0])) yield entry
  for (const [key, row] of changes) if (row !== null) yield [key, row]
}
