import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Client } from 'pg'
import type { Disk } from '../file/disk.ts'
import { createDocument, type Move } from '../file/document.ts'
import { openFiles } from '../file/files.ts'
import { StoreOpenError } from '../open-error.ts'
import { withClient } from '../postgres/database.ts'
import { migrate } from '../postgres/migrate.ts'
import { hasStore, readOnly, SILENT } from './check.ts'
import { type Row, type Source, TABLE_MOVES } from './move-rows.ts'

/**
 * The result of a move: the rows of each table, or why there was none. `moved_before`: this database has it all since
 * an earlier move, whose end its caller may not have seen; `moved_elsewhere`: another one may have.
 */
export type Moved =
  | { kind: 'moved'; rows: Readonly<Record<string, number>> }
  | { kind: 'moved_before'; at: string }
  | { kind: 'moved_elsewhere'; to: string; at: string }
  | { kind: 'no_store' }
  | { kind: 'not_empty'; table: string }

/** A row differs in the database from what was given. Nothing was moved. */
class MoveError extends Error {
  override readonly name = 'MoveError'
}

const BATCH = 500

/** Per batch, in milliseconds. */
const PATIENCE_MS = 60_000

/**
 * Copies a file store that no one uses into a Postgres database without one, whole or not at all. Each row is compared
 * with what the database made of it, and the rows of each table are counted at the end.
 *
 * The file is marked as moved before the database commits: at no moment could both be served. A crash between the two
 * leaves a file that no one serves. Repeating the move to the same database finds out whether it committed, and
 * otherwise moves again.
 * Refuses with a `StoreOpenError` `corrupt`, a `MoveError`, and with `store_unavailable`.
 */
export async function moveStore(parts: {
  disk: Disk
  dir: string
  url: string
  schema: string
  now?: Date
}): Promise<Moved> {
  const { disk, dir, url, schema, now = new Date() } = parts
  if (!(await hasStore(disk, dir))) return { kind: 'no_store' }
  const { moved: former, ...files } = await openFiles({ disk: readOnly(disk), dir, log: SILENT })
  const move = { moveId: former?.moveId ?? randomUUID(), to: placeOf(url), at: now.toISOString() }
  await migrate({ url, schema })
  const patience = { statement_timeout: PATIENCE_MS, query_timeout: PATIENCE_MS }
  const isOwn = (error: unknown) => error instanceof MoveError || error instanceof StoreOpenError
  // Rows that are not committed are rolled back.
  const fillDatabase = async (client: Client): Promise<Moved> => {
    await client.query('begin')
    if (former !== null && (await filledBy(client)) === former.moveId) return { kind: 'moved_before', at: former.at }
    if (former !== null && former.to !== move.to) return { ...former, kind: 'moved_elsewhere' }
    const filled = await findFilled(client)
    if (filled !== null) return { kind: 'not_empty', table: filled }
    const rows = await fillAll(client, { ...files, moveId: move.moveId })
    await markMoved({ disk, dir, move })
    await client.query('commit')
    return { kind: 'moved', rows }
  }
  return withClient({ url, schema }, fillDatabase, { ...patience, isOwn })
}

/** The address of a database without its user and password. */
function placeOf(url: string): string {
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname}`
}

/** Marks the store as moved, flushed to the device, so that it is no longer served. */
async function markMoved({ disk, dir, move }: { disk: Disk; dir: string; move: Move }): Promise<void> {
  const nothing = () => {}
  const document = createDocument({ disk, path: `${dir}/store.json`, onSwitch: nothing, onWritten: nothing })
  const contents = await document.read()
  if (contents === null) throw new MoveError('the store disappeared during the move')
  await document.write({ ...contents, moved: move })
}

/** Null for a database that no move has filled. */
async function filledBy(client: Client): Promise<string | null> {
  const { rows } = await client.query<{ move_id: string | null }>('select move_id from store_meta')
  return rows[0]?.move_id ?? null
}

async function fillAll(client: Client, source: Source): Promise<Record<string, number>> {
  const rows: Record<string, number> = {}
  for (const { table, rows: rowsOf } of TABLE_MOVES) {
    rows[table] = await fill(client, table, rowsOf(source))
    const held = await count(client, table)
    if (held !== rows[table]) throw new MoveError(`${table} holds ${held} rows instead of ${rows[table]}`)
  }
  return rows
}

async function findFilled(client: Client): Promise<string | null> {
  for (const { table } of TABLE_MOVES) if ((await count(client, table)) > 0) return table
  return null
}

async function count(client: Client, table: string): Promise<number> {
  const { rows } = await client.query(`select count(*) as count from ${table}`)
  return rows[0].count
}

async function fill(client: Client, table: string, rows: AsyncIterable<Row> | Iterable<Row>): Promise<number> {
  let sent = 0
  let batch: Row[] = []
  const send = async () => {
    await insert(client, table, batch)
    sent += batch.length
    batch = []
  }
  for await (const row of rows) if (batch.push(row) === BATCH) await send()
  if (batch.length > 0) await send()
  return sent
}

/** Inserts rows in order, and compares each with its stored form. */
async function insert(client: Client, table: string, batch: readonly Row[]): Promise<void> {
  const columns = Object.keys(batch[0] ?? {})
  const names = columns.join(', ')
  const { rows: stored } = await client.query(
    `insert into ${table} (${names}) select ${names} from jsonb_populate_recordset(null::${table}, $1)
     returning to_jsonb(${table}.*) as row`,
    [JSON.stringify(batch)],
  )
  batch.forEach((row, index) => {
    for (const column of columns) {
      // JSON drops undefined fields, so absent and undefined are the same.
      const given = JSON.parse(JSON.stringify(row[column] ?? null))
      if (isDeepStrictEqual(stored[index]?.row[column] ?? null, given)) continue
      throw new MoveError(`${table} has a different ${column} in row ${index + 1} of a batch`)
    }
  })
}
