import { generateKeyPairSync, sign } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AuditEntry } from '../../../src/protocol/domain/audit.ts'
import { canonicalJson } from '../../../src/protocol/domain/canonical-json.ts'
import { checkpointText, encodeNote, keyIdOf, type VerifierKey } from '../../../src/protocol/domain/checkpoint.ts'
import { hashLeaf } from '../../../src/protocol/domain/merkle-tree.ts'
import { commitmentOf, isForMaker, type Transcript, verifyTranscript } from '../../../src/protocol/domain/transcript.ts'
import { encodeLeafRecord } from '../../../src/protocol/wire/transcript.ts'
import { naive, sha256 } from '../../support/oracles/merkle-tree.ts'
import { verifyEd25519 } from '../../support/verify-ed25519.ts'

const AT = 1_767_225_600_000
const NAME = 'log.example'

const { privateKey, publicKey: pair } = generateKeyPairSync('ed25519')
const publicKey = new Uint8Array(Buffer.from(pair.export({ format: 'jwk' }).x as string, 'base64url'))
const KEY: VerifierKey = { name: NAME, publicKey, keyId: keyIdOf(sha256, { name: NAME, publicKey }) }

/** A log in which the lines of a request lie among others, by an implementation that is not the relay's. */
function transcriptOf(entries: readonly AuditEntry[], { gap = 3, requestId = 'r1' } = {}): Transcript {
  let previous: Uint8Array | null = null
  const lines = entries.map((entry, number) => {
    const salt = sha256(Buffer.from(`salt ${number}`))
    const text = canonicalJson(encodeLeafRecord({ number, previous, entry }))
    const record = { text, number, previous, requestId: entry.requestId, entry }
    const commitment = commitmentOf(sha256, salt, text)
    previous = commitment
    return { salt, record, commitment, index: number * (gap + 1) }
  })
  const size = lines.length * (gap + 1) + 2
  const data = Array.from(
    { length: size },
    (_, i) => lines.find(({ index }) => index === i)?.commitment ?? Buffer.from(`${i}`),
  )
  const text = checkpointText({ origin: NAME, size, root: naive.root(data) })
  const signature = sign(null, Buffer.from(text), privateKey)
  return {
    requestId,
    checkpoint: encodeNote(text, [{ ...KEY, signature }]),
    keys: [KEY],
    domain: null,
    leaves: lines.map(({ index, salt, record }) => ({ index, salt, record, path: naive.inclusion(index, data) })),
  }
}

const entry = (number: number): AuditEntry => ({
  at: AT + number,
  requestId: 'r1',
  kind: 'commit_refused',
  code: `c${number}`,
})
const TRUE = transcriptOf(Array.from({ length: 9 }, (_, i) => entry(i)))
const check = (transcript: Transcript, trusted?: readonly VerifierKey[]) =>
  verifyTranscript(transcript, { sha256, verify: verifyEd25519, ...(trusted === undefined ? {} : { trusted }) })

/** The problems of the log alone: these histories are none of a trade. */
const problemsOf = (transcript: Transcript, trusted?: readonly VerifierKey[]) =>
  check(transcript, trusted).problems.filter((problem) => problem !== 'The request has no opening, or two that differ.')

test('says how many entries the log had no room for', () => {
  const closed = { at: AT, requestId: 'r1', kind: 'closed', status: 'expired' } as const
  expect(check(transcriptOf([entry(0), closed])).omitted).toBe(0)
  expect(check(transcriptOf([entry(0), { ...closed, omitted: 7 }])).omitted).toBe(7)
})

const hidden = ({ index, path }: Transcript['leaves'][0], commitment: Uint8Array) => ({ index, path, commitment })
const commitmentAt = ({ leaves }: Transcript, place: number): Uint8Array => {
  const leaf = leaves[place] as Extract<Transcript['leaves'][0], { record: unknown }>
  return commitmentOf(sha256, leaf.salt, leaf.record.text)
}

test('a true transcript has no problem, with or without some of its records', () => {
  expect(problemsOf(TRUE, [KEY])).toEqual([])
  expect(check(TRUE)).toMatchObject({ lines: 9, shown: 9, isWhole: true, winner: null, checkpoint: { origin: NAME } })
  const leaves = TRUE.leaves.map((leaf, place) => (place % 3 === 0 ? leaf : hidden(leaf, commitmentAt(TRUE, place))))
  const part = check({ ...TRUE, leaves })
  expect(part).toMatchObject({ problems: [], lines: 9, shown: 3, isWhole: false })
  expect(part.head).toEqual(check(TRUE).head)
})

test('finds a line that was left out, repeated, moved or taken from another request', () => {
  fc.assert(
    fc.property(fc.nat(7), fc.nat(8), (place, other) => {
      const without = TRUE.leaves.filter((_, i) => i !== place)
      expect(problemsOf({ ...TRUE, leaves: without })).not.toEqual([])
      expect(
        problemsOf({ ...TRUE, leaves: [...TRUE.leaves, TRUE.leaves[other] as Transcript['leaves'][0]] }),
      ).not.toEqual([])
      expect(problemsOf({ ...TRUE, leaves: [...TRUE.leaves].reverse() })).not.toEqual([])
    }),
  )
  expect(problemsOf({ ...TRUE, requestId: 'r2' })).toContain('Line 1 is of another request.')
  expect(problemsOf({ ...TRUE, leaves: [] })).toEqual(['The file has no line.'])
})

test('finds a record, a salt, a place or a proof that is another one', () => {
  fc.assert(
    fc.property(fc.nat(8), fc.nat(31), fc.nat(4), (place, byte, what) => {
      const leaf = TRUE.leaves[place] as Extract<Transcript['leaves'][0], { record: unknown }>
      const flip = (bytes: Uint8Array) => Uint8Array.from(bytes, (value, i) => (i === byte ? value ^ 1 : value))
      const forged = [
        { ...leaf, record: { ...leaf.record, text: leaf.record.text.replace('commit', 'c0mmit') } },
        { ...leaf, salt: flip(leaf.salt) },
        { ...leaf, index: leaf.index + 1 },
        { ...leaf, path: leaf.path.map((hash, i) => (i === byte % leaf.path.length ? flip(hash) : hash)) },
        hidden(leaf, flip(commitmentAt(TRUE, place))),
      ][what] as Transcript['leaves'][0]
      expect(problemsOf({ ...TRUE, leaves: TRUE.leaves.with(place, forged) })).not.toEqual([])
    }),
  )
})

test('asks for a key that was given, and for every key of the file to have signed', () => {
  const other = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x as string
  const publicKey = new Uint8Array(Buffer.from(other, 'base64url'))
  const foreign = { name: NAME, publicKey, keyId: keyIdOf(sha256, { name: NAME, publicKey }) }
  expect(problemsOf(TRUE, [foreign])).toEqual(['The checkpoint is signed by no key that was given.'])
  expect(problemsOf(TRUE, [foreign, KEY])).toEqual([])
  expect(problemsOf({ ...TRUE, keys: [KEY, foreign] })).toEqual([
    `The key ${foreign.keyId} of the file has not signed the checkpoint.`,
  ])
  expect(problemsOf({ ...TRUE, keys: [] })).toEqual(['No known key has signed the checkpoint.'])
  expect(problemsOf({ ...TRUE, checkpoint: TRUE.checkpoint.replace('log.example', 'log.exemple') })).not.toEqual([])
})

test('the leaf of a record is the hash of its salted text', () => {
  const leaf = TRUE.leaves[0] as Extract<Transcript['leaves'][0], { record: unknown }>
  const commitment = sha256(Buffer.concat([leaf.salt, Buffer.from(leaf.record.text)]))
  expect(Buffer.from(commitmentAt(TRUE, 0))).toEqual(Buffer.from(commitment))
  expect(hashLeaf(sha256, commitment)).toHaveLength(32)
})

test('a maker may read its own entries, and the beginning and the end', () => {
  const own = { at: AT, requestId: 'r1', makerId: 'ada', quoteId: 'q1' }
  expect(isForMaker({ ...own, kind: 'missed' }, 'ada')).toBe(true)
  expect(isForMaker({ ...own, kind: 'missed' }, 'bob')).toBe(false)
  expect(isForMaker({ at: AT, requestId: 'r1', kind: 'closed', status: 'expired' }, 'bob')).toBe(true)
  expect(isForMaker(entry(1), 'ada')).toBe(false)
})

test('ranks were not computed again where a record is of a kind that this version does not know', () => {
  const [first, ...others] = TRUE.leaves
  const unknown =
    first !== undefined && 'record' in first ? { ...first, record: { ...first.record, entry: null } } : null
  expect(unknown).not.toBeNull()
  const leaves = [unknown as Transcript['leaves'][0], ...others]
  expect(check({ ...TRUE, leaves })).toMatchObject({ problems: [], lines: 9, shown: 9, isWhole: false })
})
