import type { QuoteRequest } from '../../domain/request.ts'
import type { Acceptance, ApiKey, Escalation, PinnedResolution, User } from '../../relay/ports/store.ts'
import type { Encoded } from './codec.ts'
import type { JournalRow } from './journal/rows.ts'

/** The row of each small table, as JSON carries it. What has ended leaves them for the journal, so that they stay small. */
export type Rows = {
  /** Open requests by requestId. */
  requests: Encoded<QuoteRequest>
  /** Pending acceptances by requestId: at most one each, which is invariant V1. */
  acceptances: Encoded<Acceptance>
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
  /** By the digest of the secret. */
  apiKeys: ApiKey
  /** `storeEpoch`: 20 random bits (ruling C7). `streamEpoch`: how often the store was opened (ruling M1). */
  counters: number
}

/** The name of a small table. */
export type TableName = keyof Rows

/** All small tables as they stand at one moment. A map is never changed: a change makes another. */
export type Tables = { readonly [Name in TableName]: ReadonlyMap<string, Rows[Name]> }

/** Tables as JSON: the entries of each. */
export type SavedTables = { readonly [Name in TableName]?: readonly [string, Rows[Name]][] }

/** A change in the making: it sees its own writes, and nobody else does before it is committed. */
export type Draft = {
  get: <Name extends TableName>(table: Name, key: string) => Rows[Name] | undefined
  rows: <Name extends TableName>(table: Name) => IterableIterator<[string, Rows[Name]]>
  set: <Name extends TableName>(table: Name, key: string, row: Rows[Name]) => void
  delete: (table: TableName, key: string) => void
  /** Adds to the journal. */
  append: (row: JournalRow) => void
}

/** What a draft has come to. */
export type Changes = { tables: Tables; appended: readonly JournalRow[]; changed: boolean }

/** The tables of a new store. `storeEpoch`: 20 random bits (ruling C7); `streamEpoch`: how often it was opened. */
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
  counters: new Map([
    ['storeEpoch', storeEpoch],
    ['streamEpoch', streamEpoch],
  ]),
})

/** Tables as JSON. */
export const saveTables = (tables: Tables): SavedTables =>
  Object.fromEntries(Object.entries(tables).map(([name, rows]) => [name, [...rows]]))

/** Tables from JSON; one that this version has added is empty. */
export function restoreTables(saved: SavedTables): Tables {
  const blank = newTables({ storeEpoch: 0, streamEpoch: 0 })
  const filled = Object.keys(blank).map((name) => [name, new Map<string, unknown>(saved[name as TableName])])
  return { ...blank, ...Object.fromEntries(filled) }
}

/** A draft over `base`, which stays as it is; a table is copied when the draft first writes to it. */
export function createDraft(base: Tables): Draft & { changes: () => Changes } {
  const copies: { [Name in TableName]?: Map<string, Rows[Name]> } = {}
  const appended: JournalRow[] = []

  const current = <Name extends TableName>(table: Name): ReadonlyMap<string, Rows[Name]> => copies[table] ?? base[table]

  function copy<Name extends TableName>(table: Name): Map<string, Rows[Name]> {
    const existing = copies[table]
    if (existing !== undefined) return existing
    const fresh = new Map(base[table])
    Object.assign(copies, { [table]: fresh })
    return fresh
  }

  return {
    get: (table, key) => current(table).get(key),
    rows: (table) => current(table).entries(),
    set: (table, key, row) => void copy(table).set(key, row),
    delete: (table, key) => {
      if (current(table).has(key)) copy(table).delete(key)
    },
    append: (row) => void appended.push(row),
    changes: () => ({
      tables: { ...base, ...copies },
      appended,
      changed: appended.length > 0 || Object.keys(copies).length > 0,
    }),
  }
}
