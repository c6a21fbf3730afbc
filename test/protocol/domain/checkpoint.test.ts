import { generateKeyPairSync, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  checkpointText,
  decodeBase64,
  encodeNote,
  encodeVerifierKey,
  keyIdOf,
  openCheckpoint,
  parseCheckpoint,
  parseNote,
  parseVerifierKey,
  type VerifierKey,
} from '../../../src/protocol/domain/checkpoint.ts'
import { sha256 } from '../../support/oracles/merkle-tree.ts'
import { verifyEd25519 } from '../../support/verify-ed25519.ts'

function createKey(name = 'log.example/v1/log') {
  const { privateKey, publicKey: pair } = generateKeyPairSync('ed25519')
  const publicKey = new Uint8Array(Buffer.from(pair.export({ format: 'jwk' }).x as string, 'base64url'))
  const key: VerifierKey = { name, publicKey, keyId: keyIdOf(sha256, { name, publicKey }) }
  return { key, sign: (text: string) => ({ ...key, signature: sign(null, Buffer.from(text), privateKey) }) }
}

const CHECKPOINT = { origin: 'log.example/v1/log', size: 20_852_163, root: sha256(Buffer.from('root')) }

/** The example of C2SP's signed-note. */
const VKEY = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k'
const NOTE = `This is an example message.

— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=
`

test('reads the key and the note of the standard, and verifies one by the other', () => {
  const key = parseVerifierKey(sha256, VKEY) as VerifierKey
  expect(encodeVerifierKey(key)).toBe(VKEY)
  const { text, signatures } = parseNote(NOTE) as NonNullable<ReturnType<typeof parseNote>>
  expect(text).toBe('This is an example message.\n')
  expect(signatures).toMatchObject([{ name: 'example.com/foo', keyId: '530d903a' }])
  const [{ signature }] = signatures as [(typeof signatures)[0]]
  expect(verifyEd25519({ publicKey: key.publicKey, message: Buffer.from(text), signature })).toBe(true)
  expect(encodeNote(text, signatures)).toBe(NOTE)
})

test('reads the checkpoint of the standard', () => {
  const text = 'example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n'
  const checkpoint = parseCheckpoint(text)
  expect(checkpoint).toMatchObject({ origin: 'example.com/behind-the-sofa', size: 20_852_163 })
  expect(checkpointText(checkpoint as typeof CHECKPOINT)).toBe(text)
})

test.each([
  'origin\n01\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n',
  '\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n',
  'origin\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2J=\n',
  'origin\n1\nCsUYapGGPo4d\n',
  'origin\n1\n',
  'origin\n9007199254740993\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n',
  'origin\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\nextension\n',
])('takes no other text for a checkpoint: %j', (text) => expect(parseCheckpoint(text)).toBeNull())

test('opens a checkpoint that a known key has signed, whatever witnesses added', () => {
  const log = createKey()
  const witness = createKey('witness.example')
  const text = checkpointText(CHECKPOINT)
  const note = encodeNote(text, [witness.sign(text), log.sign(text)])
  expect(openCheckpoint(note, { keys: [log.key], verify: verifyEd25519 })).toEqual({
    checkpoint: { ...CHECKPOINT, root: new Uint8Array(CHECKPOINT.root) },
    signedBy: [log.key],
  })
})

test('opens no checkpoint of other keys, or with a byte changed', () => {
  const log = createKey()
  const other = createKey()
  const text = checkpointText(CHECKPOINT)
  const note = encodeNote(text, [log.sign(text)])
  const open = (one: string, key = log.key) => openCheckpoint(one, { keys: [key], verify: verifyEd25519 })
  expect(open(note, other.key)).toEqual({ problem: 'No known key has signed the checkpoint.' })
  const foreign = createKey('other.example')
  expect(open(encodeNote(text, [foreign.sign(text)]), foreign.key)).toEqual({
    problem: 'The checkpoint is of another log than its key.',
  })
  const long = { ...log.sign(text), signature: Buffer.alloc(65) }
  expect(open(encodeNote(text, [long]))).toHaveProperty('problem')
  for (let at = 0; at < note.length; at += 1) {
    const code = note.charCodeAt(at)
    const changed = note.slice(0, at) + String.fromCharCode(code ^ 1) + note.slice(at + 1)
    expect(open(changed)).toHaveProperty('problem')
    expect(open(note.slice(0, at))).toHaveProperty('problem')
  }
})

test.each([
  'no note',
  'text\n\n',
  'text\n\n— name\n',
  'text\n\n— name ====\n',
  'text\n\n— name AAAA\n',
  'te\txt\n\n— name AAAAAAAAAAAA\n',
  'te\ud800xt\n\n— name AAAAAAAAAAAA\n',
  `text\n\n${'— name AAAAAAAAAAAA\n'.repeat(101)}`,
  'x'.repeat(100_001),
])('takes nothing else for a note', (note) => expect(parseNote(note)).toBeNull())

test.each([
  'name',
  VKEY.replace('530d903a', '530d903b'),
  VKEY.replace('AekyeRrm', 'AukyeRrm'),
  VKEY.slice(0, -4),
  VKEY.replace('+AekyeRrm', '+=ekyeRrm'),
])('takes nothing else for a key', (text) => expect(parseVerifierKey(sha256, text)).toBeNull())

test('reads Base64 in its one form only', () => {
  expect(decodeBase64('AQ==')).toEqual(Uint8Array.of(1))
  for (const text of ['AR==', 'AQ=', 'AQ', 'A Q==', '%']) expect(decodeBase64(text)).toBeNull()
})
