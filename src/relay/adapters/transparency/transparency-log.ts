import { repeat } from '@rfqctl/lib/repeat'
import type { AuditEntry } from '@rfqctl/protocol/domain/audit'
import { type Checkpoint, parseCheckpoint, parseNote } from '@rfqctl/protocol/domain/checkpoint'
import { type ReadTile, readRanges, widthAt } from '@rfqctl/protocol/domain/log-tiles'
import { inclusionRanges } from '@rfqctl/protocol/domain/merkle-tree'
import { commitmentOf, type ShownRecord } from '@rfqctl/protocol/domain/transcript'
import { decodeLeafRecord } from '@rfqctl/protocol/wire/transcript'
import type { Clock, Log } from '../../core/ports/runtime.ts'
import type { LogIntake, TranscriptLines, TransparencyLog } from '../../core/ports/transparency.ts'
import { createHold } from './hold.ts'
import { type LogKeys, sha256 } from './keys.ts'
import { numberEntries, type OpeningOf } from './number-entries.ts'
import { createQualityReader } from './quality-reader.ts'
import type { LogStorage, StoredLeaf } from './storage.ts'

/** Between two checkpoints, in milliseconds, as long as there is something. */
const CHECKPOINT_MS = 1_000

/** An act of another node is in the log by then, in milliseconds. */
export const SETTLED_MS = 5_000

/** A leaf of one node, the look of another one that sees it, and the leaves of that: each comes a second or two later. */
const COMPLETE_MS = 8_000

/** A log over a storage, whose waiting entries it numbers every second, away from the calls that made them. */
export function createTransparencyLog(parts: {
  storage: LogStorage
  keys: LogKeys
  openingOf: OpeningOf
  clock: Clock
  log: Log
}) {
  const { storage, keys, openingOf, clock, log } = parts
  const { statesOf } = storage
  const hold = createHold({ knows: storage.knows, isShared: statesOf !== null })
  /** Requests that are over without a leaf, by when that was seen. */
  let over = new Map<string, number>()
  let advancing: Promise<void> = Promise.resolve()

  /** One turn at a time. */
  function advance(): Promise<void> {
    advancing = advancing
      .catch(() => {})
      .then(askOfHeld)
      .finally(() => storage.advance((turn) => numberEntries({ keys, openingOf }, turn)))
    return advancing
  }

  /** Another node may have the commit or the end of a request whose quotes are held here. */
  async function askOfHeld(): Promise<void> {
    const requests = hold.requests()
    if (statesOf === null || requests.length === 0) return
    const states = await statesOf(requests.map(({ requestId }) => requestId))
    const [logged, ended] = [new Set(states.logged), new Set(states.over)]
    const now = clock.now()
    const still = new Map<string, number>()
    for (const { requestId, isReleased } of requests) {
      if (logged.has(requestId) && !isReleased) for (const entry of hold.release(requestId)) storage.add(entry)
      if (!ended.has(requestId)) continue
      const since = over.get(requestId) ?? now
      // The leaves of its commit, and what is still to come here, may be on their way.
      if (now - since >= SETTLED_MS) hold.drop(requestId)
      else still.set(requestId, since)
    }
    over = still
  }

  const stopTimer = repeat(
    { clock, log },
    { event: 'transparency_log_failed', pauseMs: CHECKPOINT_MS, work: advance, first: 'later' },
  )

  async function linesOf(requestId: string): Promise<TranscriptLines | null> {
    // Leaves first: a checkpoint that comes later has them all.
    const leaves = await storage.leavesOf(requestId)
    const note = await storage.checkpoint()
    const records = leaves.map(({ text }) => openRecord(text))
    // A part of a chain proves nothing.
    if (records[0]?.number !== 0 || note === null) return null
    const { size } = checkpointIn(note)
    const readTile: ReadTile = (tile) => storage.readTile(tile)
    const ranges = leaves.map(({ index }) => inclusionRanges(index, size))
    const hashes = await readRanges(sha256, readTile, { ranges: ranges.flat(), size })
    let at = 0
    const lines = records.map((record, i) => {
      const { index } = leaves[i] as StoredLeaf
      const count = (ranges[i] as readonly unknown[]).length
      const path = hashes.slice(at, at + count)
      at += count
      const salt = keys.saltOf(requestId, i)
      return { index, path, salt, record, commitment: commitmentOf(sha256, salt, record.text) }
    })
    return { checkpoint: note, keys: keys.verifierKeys, lines }
  }

  return {
    keys: keys.verifierKeys,
    completeMs: statesOf === null ? 0 : COMPLETE_MS,
    checkpoint: storage.checkpoint,
    readTile: async (tile) => {
      const note = await storage.checkpoint()
      const width = note === null ? 0 : widthAt(tile, checkpointIn(note).size)
      return tile.width > width ? null : storage.readTile(tile)
    },
    linesOf,
    quality: createQualityReader({ storage, clock }),
    pseudonymOf: keys.pseudonymOf,
    add: (entry: AuditEntry) => {
      for (const one of hold.take(entry)) storage.add(one)
    },
    advance,
    lost: storage.lost,
    close: async () => {
      stopTimer()
      await advance().catch((fault: unknown) => log.warn('transparency_log_failed', { fault }))
      await storage.close()
    },
  } satisfies TransparencyLog & LogIntake & Pick<LogStorage, 'lost' | 'close'> & { advance: () => Promise<void> }
}

function openRecord(text: string): ShownRecord {
  const value = JSON.parse(text)
  return { text, requestId: value.entry.requestId, ...decodeLeafRecord(value) }
}

/** The checkpoint of a note that this program wrote. */
export function checkpointIn(note: string): Checkpoint {
  const checkpoint = parseCheckpoint(parseNote(note)?.text ?? '')
  if (checkpoint === null) throw new Error('The checkpoint of the transparency log is damaged.')
  return checkpoint
}
