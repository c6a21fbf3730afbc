import type { AuditEntry } from '@rfqctl/protocol/domain/audit'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import {
  EMPTY_TREE,
  ENTRY_BYTES,
  encodeEntries,
  readEdge,
  rootOf,
  TILE_WIDTH,
  type Tile,
  type TreeEdge,
} from '@rfqctl/protocol/domain/log-tiles'
import { concat, HASH_BYTES, isEqual } from '@rfqctl/protocol/domain/merkle-tree'
import { decodeLeafRecord } from '@rfqctl/protocol/wire/transcript'
import type { Disk } from '../store/file/disk.ts'
import { corrupt } from '../store/open-error.ts'
import { newKeys, parseKeys, type StoredKeys, sha256 } from './keys.ts'
import { createRequestIndex } from './request-index.ts'
import type { Leaf, LogStorage, StoredLeaf } from './storage.ts'
import { checkpointIn } from './transparency-log.ts'

/** Leaves whose records are in one file, and the files that are kept: a million leaves, some 500 MB. */
const LEAVES_IN_FILE = 65_536
const FILES_KEPT = 16

const KEYS_LOST =
  'put keys.json back from a backup, move the folder away to begin a new log, or start with TRANSPARENCY_LOG=off'

/** Beyond this many entries on a failing disk no further ones are taken. */
const MOST_WAITING = 100_000

/** A file of records, one a line; `ends` has the end of each line. */
type Records = { start: number; ends: number[] }

/**
 * The secrets of the log in a folder, made with the first start. Refuses with a `StoreOpenError` those that are damaged, and a log
 * that has lost them: other ones would begin a second history under its checkpoint.
 */
export async function readKeys(disk: Disk, dir: string): Promise<StoredKeys> {
  const path = `${dir}/keys.json`
  const kept = await disk.read(path)
  if (kept !== null) {
    const keys = parseKeys(kept.toString())
    if (keys === null) throw corrupt(path, 'does not have the keys of a log', { hint: KEYS_LOST })
    return keys
  }
  if ((await disk.read(`${dir}/checkpoint`)) !== null)
    throw corrupt(path, 'is missing beside a log', { hint: KEYS_LOST })
  await disk.makeDir(dir)
  const keys = newKeys()
  await writeWhole(disk, path, Buffer.from(JSON.stringify(keys)))
  return keys
}

/**
 * Opens the log in a folder: `entries` has all commitments, `level-N` all hashes of a level of tiles, each as one file without an
 * end; `records` has the entries themselves, of the newest leaves; `checkpoint` says how much of all this counts. What a crash
 * left behind it waits again.
 * Refuses with a `StoreOpenError` files that are damaged.
 */
export async function openFileStorage(parts: {
  disk: Disk
  dir: string
  leavesInFile?: number
  /** Refuses a write once another process has the folder. */
  assertHeld: () => Promise<void>
}): Promise<LogStorage> {
  const { disk, dir, leavesInFile = LEAVES_IN_FILE, assertHeld } = parts
  const recordsDir = `${dir}/records`
  const pathOf = ({ start }: Records) => `${recordsDir}/${String(start).padStart(15, '0')}.ndjson`
  const requests = createRequestIndex()
  let records: Records[] = []
  let waiting: AuditEntry[] = []
  let lost = 0
  await disk.makeDir(recordsDir)
  let checkpoint = (await disk.read(`${dir}/checkpoint`))?.toString() ?? null
  let edge: TreeEdge = EMPTY_TREE
  if (checkpoint !== null) {
    const { size, root } = checkpointIn(checkpoint)
    edge = await readEdge(readTile, size)
    if (!isEqual(rootOf(sha256, edge), root)) throw corrupt(dir, 'does not have the tree of its checkpoint')
  }
  await readRecords()

  /** Lines behind the checkpoint were numbered and not published: their entries wait again, in their order. */
  async function readRecords(): Promise<void> {
    const starts = (await disk.list(recordsDir)).map((name) => Number.parseInt(name, 10)).sort((a, b) => a - b)
    for (const start of starts) {
      const file: Records = { start, ends: [] }
      const bytes = (await disk.read(pathOf(file))) ?? Buffer.alloc(0)
      const counted = Math.min(leavesInFile, Math.max(0, edge.size - start))
      const commitments = counted === 0 ? Buffer.alloc(0) : await readEntries(start, counted)
      let from = 0
      for (let end = bytes.indexOf('\n') + 1; end > 0; end = bytes.indexOf('\n', from) + 1) {
        const text = bytes.toString('utf8', from, end - 1)
        from = end
        const at = file.ends.length
        const record = parseRecord(text)
        if (at < counted) {
          if (record === null) throw corrupt(pathOf(file), `is damaged in line ${at + 1}`)
          const {
            number,
            entry: { requestId },
          } = record
          const commitment = commitments.subarray(at * ENTRY_BYTES + 2, (at + 1) * ENTRY_BYTES)
          requests.add({ requestId, number, text, commitment: Uint8Array.from(commitment) }, start + at)
          file.ends.push(end)
        } else if (record !== null) waiting.push(...entriesIn(record))
      }
      if (file.ends.length < counted) throw corrupt(pathOf(file), 'is shorter than its checkpoint says')
      if (file.ends.length > 0) records.push(file)
    }
  }

  async function readEntries(start: number, count: number): Promise<Buffer> {
    const bytes = await disk.readAt(`${dir}/entries`, start * ENTRY_BYTES, count * ENTRY_BYTES)
    if (bytes.length < count * ENTRY_BYTES) throw corrupt(`${dir}/entries`, 'is shorter than its checkpoint says')
    return bytes
  }

  async function readTile({ level, index, width }: Tile): Promise<Uint8Array> {
    if (level === 'entries') return readEntries(index * TILE_WIDTH, width)
    const path = `${dir}/level-${level}`
    const bytes = await disk.readAt(path, index * TILE_WIDTH * HASH_BYTES, width * HASH_BYTES)
    if (bytes.length < width * HASH_BYTES) throw corrupt(path, 'is shorter than its checkpoint says')
    return bytes
  }

  /** The files with further lines, in copies that count once the checkpoint does. */
  function planRecords(leaves: readonly Leaf[]): { file: Records; from: number; lines: string[] }[] {
    const plans: { file: Records; from: number; lines: string[] }[] = []
    leaves.forEach(({ text }, i) => {
      const index = edge.size + i
      const start = index - (index % leavesInFile)
      const last = plans.at(-1)
      if (last?.file.start !== start) {
        const ends = [...(records.find((one) => one.start === start)?.ends ?? [])]
        plans.push({ file: { start, ends }, from: ends.at(-1) ?? 0, lines: [] })
      }
      const { file, lines } = plans.at(-1) as (typeof plans)[0]
      const line = `${text}\n`
      lines.push(line)
      file.ends.push((file.ends.at(-1) ?? 0) + Buffer.byteLength(line))
    })
    return plans
  }

  function dropOldRecords(): readonly Records[] {
    const gone = records.slice(0, Math.max(0, records.length - FILES_KEPT))
    records = records.slice(gone.length)
    requests.forgetBefore(records[0]?.start ?? 0)
    return gone
  }

  async function readLeaves(requestId: string): Promise<readonly StoredLeaf[]> {
    const leaves: { index: number; text: string }[] = []
    for (const index of requests.indexesOf(requestId)) {
      const file = records.find(({ start }) => index >= start && index < start + leavesInFile)
      if (file === undefined) return []
      const at = index - file.start
      const from = file.ends[at - 1] ?? 0
      const length = (file.ends[at] as number) - from
      leaves.push({ index, text: (await disk.readAt(pathOf(file), from, length - 1)).toString() })
    }
    return leaves
  }

  /** Lines of a file, and of the next one if they are too few. */
  async function readFrom(index: number, limit: number): Promise<readonly StoredLeaf[]> {
    const file = records.find(({ start, ends }) => index < start + ends.length)
    if (file === undefined) return []
    const { start, ends } = file
    const first = Math.max(0, index - start)
    const last = Math.min(first + limit, ends.length)
    const from = ends[first - 1] ?? 0
    const bytes = await disk.readAt(pathOf(file), from, (ends[last - 1] as number) - from)
    const lines = bytes.toString().trimEnd().split('\n')
    const leaves = lines.map((text, i) => ({ index: start + first + i, text }))
    return leaves.length < limit && last === ends.length
      ? [...leaves, ...(await readFrom(start + last, limit - leaves.length))]
      : leaves
  }

  return {
    add: (entry) => {
      if (waiting.length < MOST_WAITING) waiting.push(entry)
      else lost += 1
    },
    advance: async (number) => {
      if (waiting.length === 0) return
      const entries = waiting
      waiting = []
      try {
        const numbered = await number({ edge, heads: requests.headsOf(entries), entries })
        const plans = planRecords(numbered.leaves)
        await assertHeld()
        const bundle = encodeEntries(numbered.leaves.map(({ commitment }) => commitment))
        const written = await Promise.allSettled([
          disk.writeAt(`${dir}/entries`, edge.size * ENTRY_BYTES, bundle),
          ...numbered.growths.map(({ level, start, hashes }) =>
            disk.writeAt(`${dir}/level-${level}`, start * HASH_BYTES, concat(hashes)),
          ),
          ...plans.map(async ({ file, from, lines }) => {
            await disk.writeAt(pathOf(file), from, Buffer.from(lines.join('')))
            // Remains of a crash or a failure must not be read as lines of these.
            await disk.truncate(pathOf(file), file.ends.at(-1) as number)
          }),
        ])
        for (const result of written) if (result.status === 'rejected') throw result.reason
        await disk.flushDir(recordsDir)
        await writeWhole(disk, `${dir}/checkpoint`, Buffer.from(numbered.checkpoint))
        for (const [i, leaf] of numbered.leaves.entries()) requests.add(leaf, edge.size + i)
        const grown = plans.map(({ file }) => file)
        records = [...records.filter(({ start }) => !grown.some((file) => file.start === start)), ...grown]
        edge = numbered.edge
        checkpoint = numbered.checkpoint
      } catch (fault) {
        // First, so that leaves which a checkpoint may have after all become the same again.
        waiting = [...entries, ...waiting]
        throw fault
      }
      for (const file of dropOldRecords()) await disk.remove(pathOf(file))
    },
    knows: (requestId) => requests.indexesOf(requestId).length > 0,
    statesOf: null,
    checkpoint: async () => checkpoint,
    readTile: (tile) => readTile(tile).catch(refuse),
    leavesOf: (requestId) => readLeaves(requestId).catch(refuse),
    leavesFrom: (index, limit) => readFrom(index, limit).catch(refuse),
    lost: () => lost,
    close: async () => {},
  }
}

/** A folder that is gone or cannot be read keeps its log from readers, and nothing else. */
function refuse(cause: unknown): never {
  throw new RfqError('store_unavailable', { detail: 'The transparency log cannot be read.', cause })
}

type Record = { number: number; entry: { requestId: string } }

/** Null for a line that a crash cut off. */
function parseRecord(text: string): Record | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function entriesIn(record: Record): AuditEntry[] {
  const { entry } = decodeLeafRecord(record)
  return entry === null ? [] : [entry]
}

/** Whole at every moment: written beside, and renamed over. */
async function writeWhole(disk: Disk, path: string, bytes: Uint8Array): Promise<void> {
  await disk.write(`${path}.tmp`, bytes)
  await disk.rename(`${path}.tmp`, path)
  await disk.flushDir(path.slice(0, path.lastIndexOf('/')))
}
