import type { Static } from 'typebox'
import * as Type from 'typebox'
import type { AuditEntry } from '../domain/audit.ts'
import { canonicalJson, type JsonValue } from '../domain/canonical-json.ts'
import { decodeBase64, encodeBase64, encodeVerifierKey, parseVerifierKey } from '../domain/checkpoint.ts'
import type { Sha256 } from '../domain/merkle-tree.ts'
import type { Transcript, TranscriptLeaf } from '../domain/transcript.ts'
import type { Address } from '../domain/units.ts'
import { AUDIT_ENTRIES, decodeAuditEntry, encodeAuditEntry } from './audit.ts'
import * as field from './field.ts'
import { createReader, type JsonSchema } from './reader.ts'
import { Count, described, nullable, Text } from './schemas.ts'

/** A record of the log: an entry, its number within its request, and the commitment to the record before; null: it is the first. */
export type LeafRecord = { number: number; previous: Uint8Array | null; entry: AuditEntry }

/** Another version of the file has another name. */
const FORMAT = 'rfqctl-transcript-1'

const Base64 = Type.String({ pattern: '^[A-Za-z0-9+/]*={0,2}$', must: 'bytes in Base64' })
const HASH = 'PN0R1Gzk2Nn1xhCB3yDhGbUl3NRBbvFdTGnQXFC2Eyw='

const recordOf = <Entry extends JsonSchema>(entry: Entry) =>
  Type.Object({
    number: described(Count, 'Number of the record within its request, from 0.', 3),
    previous: nullable(described(Base64, 'The commitment to the record before; null for the first.', HASH)),
    entry: described(entry, 'An entry of the audit log.'),
  })

const fileOf = <Record extends JsonSchema>(record: Record) =>
  Type.Object({
    format: described(Type.Literal(FORMAT), 'Name and version of the format.'),
    requestId: field.requestId,
    checkpoint: described(Text, 'The signed checkpoint of the log (C2SP tlog-checkpoint).', 'rfqctl.log/1f\n4712\n…'),
    keys: described(Type.Array(Text), 'The verifier keys that signed it (C2SP signed-note).', [
      'rfqctl.log/1f+530d903a+AekyeR…',
    ]),
    domain: nullable(
      described(
        Type.Object({ chainId: field.chainId, settlementAddress: field.settlementAddress }),
        'The contract of the order that was signed; null where the file shows none.',
      ),
    ),
    leaves: described(
      Type.Array(
        Type.Object({
          index: described(Count, 'Place of the leaf in the log, from 0.', 4_711),
          proof: described(Type.Array(Base64), 'Hashes that prove the leaf to be in the tree, from the leaf up.', [
            HASH,
          ]),
          commitment: Type.Optional(
            described(Base64, 'SHA-256 of salt and record, where the record is not for the reader.', HASH),
          ),
          salt: Type.Optional(described(Base64, 'The salt of the commitment, 32 bytes.', HASH)),
          record: Type.Optional(described(record, 'The record that the leaf commits to.')),
        }),
      ),
      'Every leaf of the request, in order.',
    ),
  })

export const TranscriptFile = fileOf(recordOf(Type.Union(Object.values(AUDIT_ENTRIES))))

/** A file of any version: entries are examined by themselves. */
const AnyRecord = recordOf(Type.Object({ kind: field.kind, requestId: field.requestId }))
const AnyFile = fileOf(AnyRecord)

const readRecord = createReader(AnyRecord, 'the record')
const readFile = createReader(AnyFile, 'the transcript')

export const encodeLeafRecord = ({ number, previous, entry }: LeafRecord): JsonValue => ({
  entry: encodeAuditEntry(entry) as unknown as JsonValue,
  number,
  previous: previous === null ? null : encodeBase64(previous),
})

/** A record that this program, or one of another version, wrote; the entry is null for a kind that this one does not know. */
export function decodeLeafRecord(value: unknown): Omit<LeafRecord, 'entry'> & { entry: AuditEntry | null } {
  const { number, previous, entry } = readRecord(value)
  return {
    number,
    previous: previous === null ? null : decodeBase64(previous),
    entry: decodeAuditEntry(entry.kind, entry),
  }
}

/** The file of a transcript: canonical JSON and the end of a line, so that it has one form. */
export const encodeTranscript = ({ requestId, checkpoint, keys, domain, leaves }: Transcript): string =>
  `${canonicalJson({
    format: FORMAT,
    requestId,
    checkpoint,
    keys: keys.map(encodeVerifierKey),
    // In one case: the hash of the order is the same in each.
    domain: domain && { ...domain, settlementAddress: domain.settlementAddress.toLowerCase() },
    leaves: leaves.map(encodeLeaf),
  })}\n`

const encodeLeaf = ({ index, path, ...leaf }: TranscriptLeaf): JsonValue => ({
  index,
  proof: path.map(encodeBase64),
  ...('record' in leaf
    ? { salt: encodeBase64(leaf.salt), record: JSON.parse(leaf.record.text) }
    : { commitment: encodeBase64(leaf.commitment) }),
})

/** Refuses with `invalid_request` a file that is not a transcript in its one form: any other byte makes it another file. */
export function decodeTranscript(sha256: Sha256, text: string): Transcript | { problem: string } {
  try {
    const file = readFile(JSON.parse(text))
    const transcript: Transcript = {
      requestId: file.requestId,
      checkpoint: file.checkpoint,
      keys: file.keys.map((key) => parseVerifierKey(sha256, key) ?? refuse('a key of it cannot be read')),
      domain: file.domain && {
        chainId: file.domain.chainId,
        settlementAddress: file.domain.settlementAddress as Address,
      },
      leaves: file.leaves.map(decodeLeaf),
    }
    return encodeTranscript(transcript) === text ? transcript : refuse('it is not written as its format asks')
  } catch (fault) {
    return { problem: `The file is not a transcript: ${(fault as Error).message}` }
  }
}

function decodeLeaf({ index, proof, commitment, salt, record }: Static<typeof AnyFile>['leaves'][0]): TranscriptLeaf {
  const place = { index, path: proof.map(bytesOf) }
  if (commitment !== undefined) return { ...place, commitment: bytesOf(commitment) }
  if (salt === undefined || record === undefined) throw refuse('a leaf has neither a commitment nor a record')
  const shown = { text: canonicalJson(record as unknown as JsonValue), requestId: record.entry.requestId }
  return { ...place, salt: bytesOf(salt), record: { ...shown, ...decodeLeafRecord(record) } }
}

const bytesOf = (text: string): Uint8Array => decodeBase64(text) ?? refuse('a text is not Base64')

function refuse(problem: string): never {
  throw new TypeError(problem)
}
