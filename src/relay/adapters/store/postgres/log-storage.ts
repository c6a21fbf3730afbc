import type { AuditEntry } from '@rfqctl/protocol/domain/audit'
import { canonicalJson, type JsonValue } from '@rfqctl/protocol/domain/canonical-json'
import { encodeEntries, readEdge, TILE_WIDTH, type Tile } from '@rfqctl/protocol/domain/log-tiles'
import { concat, HASH_BYTES } from '@rfqctl/protocol/domain/merkle-tree'
import { decodeAuditEntry, encodeAuditEntry } from '@rfqctl/protocol/wire/audit'
import { newKeys, parseKeys, type StoredKeys } from '../../transparency/keys.ts'
import { isConfirmed } from '../../transparency/request-index.ts'
import type { Head, LogStorage, Numbered } from '../../transparency/storage.ts'
import { corrupt } from '../open-error.ts'
import { type BufferParts, createBuffer } from './buffer.ts'
import type { Database, Query } from './database.ts'

/** The first half of the advisory lock, "RFQT"; the other half is the schema. */
const LOG_CLASS = 0x52465154

/** Entries of one turn, which a transaction numbers within its time limit. */
const AT_ONCE = 2_000

/** The level of the rows that have commitments in place of hashes. */
const COMMITMENTS = -1

const WAIT = `
  insert into log_waiting (body)
  select body from jsonb_array_elements_text($1::jsonb) with ordinality as entries (body, place) order by place`

const TAKE = `
  delete from log_waiting where seq in (select seq from log_waiting order by seq limit $1) returning seq, body`

/** Requests that are open and had a commit before this start. */
const KNOWN = `
  select request_id as id from requests r where status = 'open' and (
    request_id in (select body::jsonb ->> 'requestId' from log_waiting)
    or exists (select from log_leaves l where l.request_id = r.request_id))`

/** States of requests, but for those that are open and have no leaf. */
const STATES = `
  select * from (
    select asked.id, r.status is distinct from 'open' as over,
      exists (select from log_leaves l where l.request_id = asked.id) as logged
    from unnest($1::text[]) as asked (id) left join requests r on r.request_id = asked.id
  ) states where over or logged`

const HEADS = `
  select distinct on (request_id) request_id, number, commitment,
    exists (select from log_leaves c where c.request_id = l.request_id and c.confirmed) as confirmed
  from log_leaves l where request_id = any($1) order by request_id, number desc`

const ADD_LEAVES = `
  insert into log_leaves (index, request_id, number, at, confirmed, body, commitment)
  select (leaf ->> 'index')::bigint, leaf ->> 'requestId', (leaf ->> 'number')::integer, now_ms(),
    (leaf ->> 'confirmed')::boolean, leaf ->> 'body', decode(leaf ->> 'commitment', 'hex')
  from jsonb_array_elements($1::jsonb) as leaves (leaf)`

/** Bytes that come to the end of a tile, which may not be there yet. */
const GROW = `
  insert into log_tiles as tile (level, index, hashes)
  select (grown ->> 'level')::smallint, (grown ->> 'index')::bigint, decode(grown ->> 'hashes', 'hex')
  from jsonb_array_elements($1::jsonb) as growths (grown)
  on conflict (level, index) do update set hashes = tile.hashes || excluded.hashes`

/** The secrets of the log, made once and the same for all nodes. Refuses damaged ones with a `StoreOpenError`. */
export async function readLogKeys({ query }: Pick<Database, 'query'>): Promise<StoredKeys> {
  await query('insert into log_head (size, keys) values (0, $1) on conflict do nothing', [JSON.stringify(newKeys())])
  const [row] = await query<{ keys: string }>('select keys from log_head')
  const keys = parseKeys((row as { keys: string }).keys)
  if (keys === null)
    throw corrupt('log_head', 'does not have the keys of a log', {
      hint: 'put its column keys back from a backup, or start with TRANSPARENCY_LOG=off',
    })
  return keys
}

/**
 * The log of all nodes. Entries wait in a table; whichever node has the lock takes them out and writes leaves, tiles and
 * checkpoint, all in one transaction. `isShared`: several nodes use it at the same time.
 */
export async function openLogStorage(
  { query, transaction }: Database,
  { isShared, clock, log }: BufferParts & { isShared: boolean },
): Promise<LogStorage> {
  const known = new Set(isShared ? [] : (await query<{ id: string }>(KNOWN)).map(({ id }) => id))
  const entries = createBuffer<string>({ clock, log, write: (items) => query(WAIT, [JSON.stringify(items)]) })

  const readTileBy =
    (run: Query) =>
    async ({ level, index, width }: Tile): Promise<Uint8Array> => {
      const isBundle = level === 'entries'
      const place = [isBundle ? COMMITMENTS : level, index]
      const [row] = await run<{ hashes: Buffer }>('select hashes from log_tiles where level = $1 and index = $2', place)
      const bytes = row?.hashes.subarray(0, width * HASH_BYTES) ?? Buffer.alloc(0)
      if (bytes.length < width * HASH_BYTES) throw new Error('A tile of the transparency log is missing.')
      return isBundle ? encodeEntries(chunksOf(bytes)) : bytes
    }

  /** An entry that cannot be read is left out, or no other would ever follow it: promises among them are entered again from the store. */
  function readEntry(body: string): AuditEntry[] {
    const entry = JSON.parse(body)
    try {
      const known = decodeAuditEntry(entry.kind, entry)
      return known === null ? [] : [known]
    } catch (fault) {
      log.error('transparency_entry_unreadable', { requestId: entry.requestId, reason: entry.kind, fault })
      return []
    }
  }

  async function statesOf(requestIds: readonly string[]) {
    const rows = await query<{ id: string; logged: boolean; over: boolean }>(STATES, [requestIds])
    const idsOf = (state: 'logged' | 'over') => rows.flatMap((row) => (row[state] ? [row.id] : []))
    return { logged: idsOf('logged'), over: idsOf('over') }
  }

  const checkpoint = async () =>
    (await query<{ checkpoint: string | null }>('select checkpoint from log_head'))[0]?.checkpoint ?? null

  return {
    add: (entry) => entries.add(canonicalJson(encodeAuditEntry(entry) as unknown as JsonValue)),
    advance: async (number) => {
      await entries.flush()
      await transaction(async (run) => {
        const [lock] = await run<{ taken: boolean }>(
          'select pg_try_advisory_xact_lock($1, hashtext(current_schema())) as taken',
          [LOG_CLASS],
        )
        if (lock?.taken !== true) return
        const rows = await run<{ seq: number; body: string }>(TAKE, [AT_ONCE])
        const taken = [...rows].sort((a, b) => a.seq - b.seq).flatMap(({ body }) => readEntry(body))
        if (taken.length === 0) return
        const [head] = await run<{ size: number }>('select size from log_head')
        const edge = await readEdge(readTileBy(run), (head as { size: number }).size)
        const heads = await readHeads(run, [...new Set(taken.map(({ requestId }) => requestId))])
        const numbered = await number({ edge, heads, entries: taken })
        await write(run, edge.size, numbered)
      })
    },
    knows: (requestId) => known.has(requestId),
    statesOf: isShared ? statesOf : null,
    checkpoint,
    readTile: readTileBy(query),
    leavesOf: (requestId) =>
      query<{ index: number; text: string }>(
        'select index, body as text from log_leaves where request_id = $1 order by number',
        [requestId],
      ),
    leavesFrom: (index, limit) =>
      query<{ index: number; text: string }>(
        'select index, body as text from log_leaves where index >= $1 order by index limit $2',
        [index, limit],
      ),
    lost: entries.lost,
    close: entries.close,
  }
}

async function readHeads(query: Query, requestIds: readonly string[]): Promise<ReadonlyMap<string, Head>> {
  const rows = await query<{ request_id: string; number: number; commitment: Buffer; confirmed: boolean }>(HEADS, [
    requestIds,
  ])
  return new Map(
    rows.map(({ request_id, number, commitment, confirmed }) => [
      request_id,
      { number, commitment, hasConfirmed: confirmed },
    ]),
  )
}

async function write(query: Query, size: number, { edge, leaves, growths, checkpoint }: Numbered): Promise<void> {
  const rows = leaves.map(({ requestId, number, text, commitment }, i) => ({
    index: size + i,
    requestId,
    number,
    confirmed: isConfirmed(text),
    body: text,
    commitment: Buffer.from(commitment).toString('hex'),
  }))
  await query(ADD_LEAVES, [JSON.stringify(rows)])
  const commitments = { level: COMMITMENTS, start: size, hashes: leaves.map(({ commitment }) => commitment) }
  await query(GROW, [JSON.stringify([...growths, commitments].flatMap(inTiles))])
  await query('update log_head set size = $1, checkpoint = $2', [edge.size, checkpoint])
}

/** Growth of a level, by the tiles that it comes to. */
function inTiles({ level, start, hashes }: { level: number; start: number; hashes: readonly Uint8Array[] }) {
  const tiles: { level: number; index: number; hashes: string }[] = []
  for (let at = 0; at < hashes.length; ) {
    const index = Math.floor((start + at) / TILE_WIDTH)
    const end = Math.min(hashes.length, (index + 1) * TILE_WIDTH - start)
    tiles.push({ level, index, hashes: Buffer.from(concat(hashes.slice(at, end))).toString('hex') })
    at = end
  }
  return tiles
}

const chunksOf = (bytes: Buffer): Uint8Array[] =>
  Array.from({ length: bytes.length / HASH_BYTES }, (_, i) => bytes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES))
