import { type AuditEntry, makerOf } from './audit.ts'
import { type Checkpoint, openCheckpoint, type VerifierKey, type VerifyEd25519 } from './checkpoint.ts'
import { concat, hashLeaf, isEqual, type Sha256, verifyInclusion } from './merkle-tree.ts'
import type { Address } from './units.ts'
import { checkHistory } from './verify-history.ts'

/** A line whose record is shown, with the salt of its commitment, or only committed to. */
export type TranscriptLeaf = {
  /** Place of the leaf in the log, from 0. */
  index: number
  /** Hashes from the leaf up to the root. */
  path: readonly Uint8Array[]
} & ({ commitment: Uint8Array } | { salt: Uint8Array; record: ShownRecord })

/** A record of the log. `text` is its canonical JSON, `entry` null where this version does not know its kind. */
export type ShownRecord = {
  text: string
  number: number
  previous: Uint8Array | null
  requestId: string
  entry: AuditEntry | null
}

/** The life of one request as its reader may see it, with proofs that each line is in the log. */
export type Transcript = {
  requestId: string
  /** The signed note. */
  checkpoint: string
  keys: readonly VerifierKey[]
  /** The contract whose orders the file shows; null where it shows none. */
  domain: { chainId: number; settlementAddress: Address } | null
  leaves: readonly TranscriptLeaf[]
}

/** The outcome of verifying a transcript: sentences for what is wrong, and what it shows where nothing is. */
export type Verified = {
  problems: readonly string[]
  checkpoint: Checkpoint | null
  /** Lines in all, and those whose records are shown. */
  lines: number
  shown: number
  /** The entries that are shown, of kinds that this version knows, in their order. */
  entries: readonly AuditEntry[]
  /** The commitment of the last line: readers of one request compare it. */
  head: Uint8Array | null
  /** Whether every record is shown, and of a kind that this version knows, so that ranks and winner were computed again. */
  isWhole: boolean
  /** Entries that the relay says it had no room for: where there are some, quotes are not compared with what was quoted. */
  omitted: number
  /** Ranked quotes without an entry of their own, as a node that crashed leaves them behind. */
  unentered: number
  unexplained: number
  /** Whether the relay started again meanwhile: what it did before is compared as far as it is there. */
  isInterrupted: boolean
  /** The quote that won; null: there is no trade, or it is not shown. */
  winner: { makerId: string; quoteId: string } | null
}

/** The commitment to a record of the log: its text after a salt that only those know who may read it. */
export const commitmentOf = (sha256: Sha256, salt: Uint8Array, text: string): Uint8Array =>
  sha256(concat([salt, new TextEncoder().encode(text)]))

/** Whether a maker may read an entry: one of its own, or how the request began and ended. */
export const isForMaker = (entry: AuditEntry, makerId: string): boolean =>
  makerOf(entry) === makerId || entry.kind === 'opened' || entry.kind === 'closed'

/**
 * Verifies a transcript without its relay: the signature of the checkpoint, that each line is in the log, that none is left out
 * between two, and, where all are shown, each rank, the winner and the amounts. `trusted` are keys from another source; without
 * them the file's own keys count.
 */
export function verifyTranscript(
  transcript: Transcript,
  tools: { sha256: Sha256; verify: VerifyEd25519; trusted?: readonly VerifierKey[] },
): Verified {
  const { sha256, verify, trusted = [] } = tools
  const { requestId, keys, leaves, domain } = transcript
  const problems: string[] = []
  const opened = openCheckpoint(transcript.checkpoint, { keys, verify })
  const checkpoint = 'problem' in opened ? null : opened.checkpoint
  if ('problem' in opened) problems.push(opened.problem)
  else {
    const unsigned = keys.find((key) => !opened.signedBy.includes(key))
    if (unsigned !== undefined) problems.push(`The key ${unsigned.keyId} of the file has not signed the checkpoint.`)
    const isTrusted = opened.signedBy.some((key) => trusted.some((one) => isSameKey(one, key)))
    if (trusted.length > 0 && !isTrusted) problems.push('The checkpoint is signed by no key that was given.')
  }
  const records: (ShownRecord | null)[] = []
  let head: Uint8Array | null = null
  let last = -1
  leaves.forEach((leaf, place) => {
    const name = `Line ${place + 1}`
    const record = 'record' in leaf ? leaf.record : null
    const commitment = 'record' in leaf ? commitmentOf(sha256, leaf.salt, leaf.record.text) : leaf.commitment
    const { index, path } = leaf
    if (index <= last) problems.push(`${name} is not after the line before it.`)
    last = index
    if (checkpoint !== null) {
      const proof = { index, path, ...checkpoint, leafHash: hashLeaf(sha256, commitment) }
      if (!verifyInclusion(sha256, proof)) problems.push(`${name} is not in the log of the checkpoint.`)
    }
    if (record !== null) {
      if (record.number !== place) problems.push(`${name} has the number ${record.number + 1}: a line is left out.`)
      if (!isSameOrNone(record.previous, head)) problems.push(`${name} does not follow the line before it.`)
      if (record.requestId !== requestId) problems.push(`${name} is of another request.`)
    }
    head = commitment
    records.push(record)
  })
  if (leaves.length === 0) problems.push('The file has no line.')
  const entries = records.flatMap((record) => (record?.entry == null ? [] : [record.entry]))
  const isWhole = records.length > 0 && entries.length === records.length
  const history = checkHistory({ entries, domain, isWhole })
  const { winner, unentered, unexplained, isInterrupted } = history
  problems.push(...history.problems)
  const omitted = entries.reduce((sum, entry) => sum + (entry.kind === 'closed' ? (entry.omitted ?? 0) : 0), 0)
  const shown = records.filter((record) => record !== null).length
  const lines = leaves.length
  return {
    problems,
    checkpoint,
    lines,
    shown,
    entries,
    head,
    isWhole,
    omitted,
    unentered,
    unexplained,
    isInterrupted,
    winner,
  }
}

const isSameKey = (a: VerifierKey, b: VerifierKey): boolean => a.name === b.name && isEqual(a.publicKey, b.publicKey)

const isSameOrNone = (a: Uint8Array | null, b: Uint8Array | null): boolean =>
  a === null || b === null ? a === b : isEqual(a, b)
