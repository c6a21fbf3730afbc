import type { AuditEntry } from '@rfqctl/protocol/domain/audit'
import { canonicalJson } from '@rfqctl/protocol/domain/canonical-json'
import { checkpointText, encodeNote } from '@rfqctl/protocol/domain/checkpoint'
import { growTree, rootOf } from '@rfqctl/protocol/domain/log-tiles'
import { hashLeaf } from '@rfqctl/protocol/domain/merkle-tree'
import { storableText } from '@rfqctl/protocol/domain/safe-text'
import { commitmentOf } from '@rfqctl/protocol/domain/transcript'
import { encodeLeafRecord, type LeafRecord } from '@rfqctl/protocol/wire/transcript'
import { type LogKeys, sha256 } from './keys.ts'
import type { Head, Leaf, Numbered, Turn } from './storage.ts'

/** Entries that are hashed before calls have their turn again: a millisecond's work. */
const IN_A_TURN = 64

const turnOver = () => new Promise<void>((resolve) => setImmediate(resolve))

/** The entry that a request began with; null: nothing is kept of it. */
export type OpeningOf = (requestId: string) => Promise<AuditEntry | null>

/**
 * Makes entries the next leaves: each carries its number within its request and the commitment before it, so that none can be left
 * out unseen. The first leaf of a request is its opening, which another node may have had, or a crash taken. A second opening or
 * signature is a repetition and becomes no leaf.
 */
export async function numberEntries(
  { keys, openingOf }: { keys: LogKeys; openingOf: OpeningOf },
  { edge, heads, entries }: Turn,
): Promise<Numbered> {
  const news = new Map<string, Head>()
  const leaves: Leaf[] = []
  const hashes: Uint8Array[] = []
  for (const [i, entry] of entries.entries()) {
    if (i % IN_A_TURN === IN_A_TURN - 1) await turnOver()
    const { requestId } = entry
    const isFirst = !news.has(requestId) && !heads.has(requestId)
    const opening = isFirst && entry.kind !== 'opened' ? await openingOf(requestId) : null
    if (opening !== null) add(opening)
    add(entry)
  }

  function add(entry: AuditEntry): void {
    const { requestId, kind } = entry
    const head = news.get(requestId) ?? heads.get(requestId) ?? null
    const isConfirmed = kind === 'confirmed'
    if (isConfirmed && head?.hasConfirmed === true) return
    if (kind === 'opened' && head !== null) return
    const number = head === null ? 0 : head.number + 1
    const text = textOf({ number, previous: head?.commitment ?? null, entry })
    const commitment = commitmentOf(sha256, keys.saltOf(requestId, number), text)
    leaves.push({ requestId, number, text, commitment })
    hashes.push(hashLeaf(sha256, commitment))
    news.set(requestId, { number, commitment, hasConfirmed: isConfirmed || head?.hasConfirmed === true })
  }

  const grown = growTree(sha256, edge, hashes)
  const text = checkpointText({ origin: keys.origin, size: grown.edge.size, root: rootOf(sha256, grown.edge) })
  return { ...grown, leaves, checkpoint: encodeNote(text, keys.sign(text)) }
}

/** Texts of strangers may have halves of surrogate pairs, which canonical JSON has not. */
function textOf(record: LeafRecord): string {
  const value = encodeLeafRecord(record)
  try {
    return canonicalJson(value)
  } catch {
    return canonicalJson(
      JSON.parse(JSON.stringify(value), (_, part) => (typeof part === 'string' ? storableText(part) : part)),
    )
  }
}
