import { concat, HASH_BYTES, type Sha256 } from './merkle-tree.ts'

/** A tree that a log has signed. */
export type Checkpoint = { origin: string; size: number; root: Uint8Array }

/** A key of a log, by which its notes are known: Ed25519. */
export type VerifierKey = { name: string; keyId: string; publicKey: Uint8Array }

/** Whether an Ed25519 signature is that of a key, as the caller's platform has it. */
export type VerifyEd25519 = (input: { publicKey: Uint8Array; message: Uint8Array; signature: Uint8Array }) => boolean

type NoteSignature = { name: string; keyId: string; signature: Uint8Array }

/** Bounds on what a stranger sends: C2SP asks for room for 16 signatures. */
const MAX_NOTE_LENGTH = 100_000
const MAX_SIGNATURES = 100

const ED25519 = 1
const SIGNATURE_BYTES = 64
const KEY_ID_BYTES = 4

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The text of a checkpoint (C2SP tlog-checkpoint), which a log signs. */
export const checkpointText = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${encodeBase64(root)}\n`

/** The id of an Ed25519 key, in hex (C2SP signed-note). */
export const keyIdOf = (sha256: Sha256, { name, publicKey }: Pick<VerifierKey, 'name' | 'publicKey'>): string =>
  encodeHex(sha256(concat([utf8(`${name}\n`), Uint8Array.of(ED25519), publicKey])).slice(0, KEY_ID_BYTES))

/** The text of a key, by which its holder is known to others (C2SP signed-note, "vkey"). */
export const encodeVerifierKey = ({ name, keyId, publicKey }: VerifierKey): string =>
  `${name}+${keyId}+${encodeBase64(concat([Uint8Array.of(ED25519), publicKey]))}`

/** Null unless the text is that of an Ed25519 key, with the id that it must have. */
export function parseVerifierKey(sha256: Sha256, text: string): VerifierKey | null {
  const [, name, keyId, base64] = /^([^\s+]+)\+([\da-f]{8})\+([\w+/=]+)$/u.exec(text) ?? []
  if (name === undefined || keyId === undefined || base64 === undefined) return null
  const bytes = decodeBase64(base64)
  if (bytes === null || bytes.length !== 1 + HASH_BYTES || bytes[0] !== ED25519) return null
  const publicKey = bytes.slice(1)
  return keyIdOf(sha256, { name, publicKey }) === keyId ? { name, keyId, publicKey } : null
}

/** A text with signatures (C2SP signed-note). */
export const encodeNote = (text: string, signatures: readonly NoteSignature[]): string =>
  `${text}\n${signatures.map(signatureLine).join('')}`

const signatureLine = ({ name, keyId, signature }: NoteSignature): string =>
  `— ${name} ${encodeBase64(concat([decodeHex(keyId), signature]))}\n`

/** Null unless it is a note. */
export function parseNote(note: string): { text: string; signatures: NoteSignature[] } | null {
  const end = note.lastIndexOf('\n\n') + 1
  const isNote = note.length <= MAX_NOTE_LENGTH && !/\p{Surrogate}/u.test(note) && !hasControls(note)
  if (!isNote || end === 0 || !note.endsWith('\n')) return null
  const lines = note.slice(end + 1, -1).split('\n')
  const signatures = lines.map(parseSignature)
  if (lines.length > MAX_SIGNATURES || signatures.includes(null)) return null
  return { text: note.slice(0, end), signatures: signatures as NoteSignature[] }
}

/** Ends of lines are none. */
const hasControls = (note: string): boolean => Array.from(note).some((char) => char < ' ' && char !== '\n')

function parseSignature(line: string): NoteSignature | null {
  const [, name, base64] = /^— ([^\s+]+) ([\w+/=]+)$/u.exec(line) ?? []
  const bytes = base64 === undefined ? null : decodeBase64(base64)
  if (name === undefined || bytes === null || bytes.length <= KEY_ID_BYTES) return null
  return { name, keyId: encodeHex(bytes.slice(0, KEY_ID_BYTES)), signature: bytes.slice(KEY_ID_BYTES) }
}

/** The checkpoint in a note's text, without extension lines; null unless it is one. */
export function parseCheckpoint(text: string): Checkpoint | null {
  const [, origin, size, base64] = /^([^\n]+)\n(0|[1-9]\d{0,15})\n([\w+/=]+)\n$/.exec(text) ?? []
  const root = base64 === undefined ? null : decodeBase64(base64)
  if (origin === undefined || root?.length !== HASH_BYTES) return null
  return Number.isSafeInteger(Number(size)) ? { origin, size: Number(size), root } : null
}

/** The outcome of opening a note: the checkpoint and the keys that signed it, or a sentence. */
export type OpenedCheckpoint = { checkpoint: Checkpoint; signedBy: readonly VerifierKey[] } | { problem: string }

/**
 * The checkpoint of a note that one of the keys has signed. Signatures of other keys are ignored, as C2SP has it: witnesses may add
 * theirs.
 */
export function openCheckpoint(
  note: string,
  { keys, verify }: { keys: readonly VerifierKey[]; verify: VerifyEd25519 },
): OpenedCheckpoint {
  const parsed = parseNote(note)
  const checkpoint = parsed === null ? null : parseCheckpoint(parsed.text)
  if (parsed === null || checkpoint === null) return { problem: 'The checkpoint is not in the format of C2SP.' }
  const message = utf8(parsed.text)
  const signedBy: VerifierKey[] = []
  for (const { name, keyId, signature } of parsed.signatures) {
    const key = keys.find((one) => one.name === name && one.keyId === keyId)
    if (key === undefined) continue
    if (signature.length !== SIGNATURE_BYTES || !verify({ publicKey: key.publicKey, message, signature }))
      return { problem: `The signature of the checkpoint is not that of ${name}.` }
    signedBy.push(key)
  }
  if (signedBy.length === 0) return { problem: 'No known key has signed the checkpoint.' }
  if (signedBy.some(({ name }) => name !== checkpoint.origin))
    return { problem: 'The checkpoint is of another log than its key.' }
  return { checkpoint, signedBy }
}

/** Standard Base64 (RFC 4648, section 4). */
export const encodeBase64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join(''))

/** Null unless the text is the one that encodes its bytes. */
export function decodeBase64(text: string): Uint8Array | null {
  try {
    const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
    return encodeBase64(bytes) === text ? bytes : null
  } catch {
    return null
  }
}

export const encodeHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

const decodeHex = (text: string): Uint8Array =>
  Uint8Array.from({ length: text.length / 2 }, (_, i) => Number.parseInt(text.slice(2 * i, 2 * i + 2), 16))
