import { hash } from 'node:crypto'
import { expect, it, test } from 'vitest'
import type { AuditEntry } from '../../../src/protocol/domain/audit.ts'
import { RfqError } from '../../../src/protocol/domain/errors.ts'
import { type Transcript, verifyTranscript } from '../../../src/protocol/domain/transcript.ts'
import { contracts, usd6 } from '../../../src/protocol/domain/units.ts'
import { decodeTranscript, encodeTranscript } from '../../../src/protocol/wire/transcript.ts'
import type { TranscriptReader } from '../../../src/relay/core/relay.ts'
import { settle } from '../../support/fake-clock.ts'
import { createTestRelay, refusal, TAKER, type TestRelay, walletOf } from '../../support/test-relay.ts'
import { verifyEd25519 } from '../../support/verify-ed25519.ts'

const sha256 = (bytes: Uint8Array) => hash('sha256', bytes, 'buffer')
const check = (transcript: Transcript) => verifyTranscript(transcript, { sha256, verify: verifyEd25519 })

/** The file of a transcript, as its reader has it. */
async function fileOf({ relay, publish }: TestRelay, requestId: string, reader: TranscriptReader): Promise<string> {
  await publish()
  return encodeTranscript(await relay.readTranscript({ requestId, reader }))
}

const read = (file: string) => decodeTranscript(sha256, file) as Transcript

/** Ada misses, Bob signs, Eve has withdrawn, and Fay cannot pay. */
async function tradeWithMany() {
  const fixture = createTestRelay({ hasTransparencyLog: true })
  const [, bob] = [await fixture.connect('ada'), await fixture.connect('bob')]
  const { requestId, takerSecret } = await fixture.open()
  await fixture.quote('ada', requestId, { price: usd6(100_000n) })
  await fixture.quote('bob', requestId, { price: usd6(110_000n) })
  await fixture.quote('cyd', requestId, { price: usd6(123_457n), expiresInMs: 60_000 })
  const gone = await fixture.quote('eve', requestId)
  await fixture.relay.withdrawQuote({ makerId: 'eve', quoteId: gone })
  await fixture.quote('fay', requestId, { price: usd6(90_000n) })
  fixture.chain.wallets.set(walletOf('fay'), { core: { balance: usd6(0n), allowance: usd6(0n) } })
  await fixture.clock.advance(5_000)
  const commit = fixture.commit(requestId)
  await fixture.clock.advance(10_000)
  await bob.confirm()
  await commit
  await settle()
  return { fixture, requestId, takerSecret }
}

it('a taker verifies who was ranked, passed over, asked, and who signed', async () => {
  const { fixture, requestId, takerSecret } = await tradeWithMany()
  const file = await fileOf(fixture, requestId, { kind: 'taker', takerSecret })
  expect(file).toBe(await fileOf(fixture, requestId, { kind: 'operator' }))
  const verified = check(read(file))
  expect(verified).toMatchObject({ problems: [], isWhole: true, winner: { makerId: 'bob' } })
  expect(verified.shown).toBe(verified.lines)
})

it('a taker that commits without end by other terms makes no transcript untrue', async () => {
  const fixture = createTestRelay({ hasTransparencyLog: true })
  const { requestId } = await fixture.open({ wallet: TAKER })
  await fixture.quoteFirm('ada', requestId, { price: usd6(100_000n) })
  for (let limit = 50_000n; limit < 50_030n; limit += 1n)
    expect(await refusal(fixture.commit(requestId, { limitPrice: usd6(limit) }))).toBe('no_acceptable_quote')
  await fixture.commit(requestId)
  await settle()
  const verified = check(read(await fileOf(fixture, requestId, { kind: 'operator' })))
  expect(verified).toMatchObject({ problems: [], winner: { makerId: 'ada' } })
  expect(verified.omitted).toBeGreaterThan(0)
})

it('a maker whose order an earlier commit could not let go of is passed over for a reason', async () => {
  const fixture = createTestRelay({ hasTransparencyLog: true })
  await fixture.connect('ada')
  const bob = await fixture.connect('bob')
  const { requestId } = await fixture.open()
  await fixture.quote('ada', requestId, { price: usd6(100_000n) })
  await fixture.quote('bob', requestId, { price: usd6(110_000n) })
  await fixture.clock.advance(5_000)
  const { book } = fixture.ports
  const { unlock } = book
  book.unlock = () => Promise.reject(new RfqError('store_unavailable'))
  const first = refusal(fixture.commit(requestId))
  await settle()
  await fixture.clock.advance(11_000)
  expect(await first).toBe('store_unavailable')
  book.unlock = unlock
  await fixture.clock.advance(11_000)
  const second = fixture.commit(requestId)
  await settle()
  await bob.confirm()
  await second
  await settle()
  const verified = check(read(await fileOf(fixture, requestId, { kind: 'operator' })))
  expect(verified).toMatchObject({ problems: [], winner: { makerId: 'bob' } })
})

it('shows each quote that another node took out of the book and had no time to enter, once a commit', async () => {
  const fixture = createTestRelay({ hasTransparencyLog: true })
  const { book } = fixture.ports
  await fixture.connect('ada')
  const bob = await fixture.connect('bob')
  const { requestId } = await fixture.open()
  const quoteId = await fixture.quote('eve', requestId, { price: usd6(90_000n) })
  await fixture.quote('ada', requestId, { price: usd6(100_000n) })
  await fixture.quote('bob', requestId, { price: usd6(110_000n) })
  await fixture.clock.advance(5_000)
  await book.removeAll('eve', { held: 'taken' })
  const { look } = book
  book.look = async (id) => ({ ...(await look(id)), left: [{ makerId: 'eve', quoteId }] })
  const commit = fixture.commit(requestId)
  await settle()
  await fixture.clock.advance(10_000)
  await bob.confirm()
  await commit
  await settle()
  const verified = check(read(await fileOf(fixture, requestId, { kind: 'operator' })))
  expect(verified).toMatchObject({ problems: [], winner: { makerId: 'bob' }, unexplained: 1 })
  const ofEve = check(read(await fileOf(fixture, requestId, { kind: 'maker', makerId: 'eve' })))
  expect(ofEve.entries.map(({ kind }) => kind)).toEqual(['opened', 'quoted', 'quote_absent', 'closed'])
})

it('shows a maker its own lines alone, and no price of another', async () => {
  const { fixture, requestId } = await tradeWithMany()
  const file = await fileOf(fixture, requestId, { kind: 'maker', makerId: 'cyd' })
  const verified = check(read(file))
  expect(verified).toMatchObject({ problems: [], isWhole: false, winner: null, shown: 3 })
  expect(file).toContain('0.123457')
  expect(file).not.toContain('"ada"')
  for (const makerId of ['ada', 'bob', 'fay']) {
    expect(await fileOf(fixture, requestId, { kind: 'maker', makerId })).not.toContain('0.123457')
  }
  expect(check(read(await fileOf(fixture, requestId, { kind: 'maker', makerId: 'bob' })))).toMatchObject({
    problems: [],
    winner: { makerId: 'bob' },
  })
})

it('is for no one else, and not before the request has ended', async () => {
  const { fixture, requestId } = await tradeWithMany()
  await fixture.publish()
  const refused = (reader: TranscriptReader, id = requestId) =>
    refusal(fixture.relay.readTranscript({ requestId: id, reader }))
  expect(await refused({ kind: 'maker', makerId: 'zoe' })).toBe('request_not_found')
  expect(await refused({ kind: 'taker', takerSecret: null })).toBe('taker_secret_required')
  expect(await refused({ kind: 'taker', takerSecret: 'guess' })).toBe('taker_secret_required')
  expect(await refused({ kind: 'operator' }, 'unknown')).toBe('request_not_found')
  const open = await fixture.open()
  await fixture.quote('ada', open.requestId)
  await refusal(fixture.commit(open.requestId, { minContracts: contracts(1_000_000n) }))
  await fixture.publish()
  expect(await refused({ kind: 'taker', takerSecret: open.takerSecret }, open.requestId)).toBe('transcript_not_ready')
  expect(await refused({ kind: 'maker', makerId: 'ada' }, open.requestId)).toBe('transcript_not_ready')
  expect(check(read(await fileOf(fixture, open.requestId, { kind: 'operator' }))).problems).toEqual([])
})

it('has nothing of a request without a commit', async () => {
  const fixture = createTestRelay({ hasTransparencyLog: true })
  const { requestId, takerSecret } = await fixture.open()
  await fixture.quote('ada', requestId)
  const refused = (reader: TranscriptReader) => refusal(fixture.relay.readTranscript({ requestId, reader }))
  expect(await refused({ kind: 'taker', takerSecret })).toBe('transcript_not_ready')
  await fixture.relay.cancelRequest({ requestId, takerSecret })
  await fixture.publish()
  for (const reader of [
    { kind: 'taker', takerSecret },
    { kind: 'operator' },
    { kind: 'maker', makerId: 'ada' },
  ] as const)
    expect(await refused(reader)).toBe('request_not_found')
  expect(await fixture.transparency.checkpoint()).toBeNull()
})

it('puts two together at a time, and refuses those for which too many wait', async () => {
  const { fixture, requestId, takerSecret } = await tradeWithMany()
  await fixture.publish()
  const { linesOf } = fixture.transparency
  let most = 0
  let now = 0
  fixture.transparency.linesOf = async (id) => {
    now += 1
    most = Math.max(most, now)
    const lines = await linesOf(id)
    now -= 1
    return lines
  }
  const read = () => fixture.relay.readTranscript({ requestId, reader: { kind: 'taker', takerSecret } })
  const reads = Array.from({ length: 70 }, () =>
    read().then(
      () => 'read',
      ({ code }) => code,
    ),
  )
  const ends = await Promise.all(reads)
  expect(most).toBe(2)
  expect(ends.filter((end) => end === 'read').length).toBe(66)
  expect(ends.filter((end) => end === 'too_many_requests').length).toBe(4)
})

it('no byte of a file can be another one', async () => {
  const { fixture, requestId, takerSecret } = await tradeWithMany()
  for (const reader of [
    { kind: 'taker', takerSecret },
    { kind: 'maker', makerId: 'cyd' },
  ] as const) {
    const bytes = Buffer.from(await fileOf(fixture, requestId, reader))
    for (let at = 0; at < bytes.length; at += 7) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] as number) ^ (1 << (at % 7))
      const transcript = decodeTranscript(sha256, changed.toString())
      if (!('problem' in transcript)) expect(check(transcript).problems, `byte ${at}`).not.toEqual([])
    }
  }
})

test('a transcript of several nodes is ready once each of them has entered its part', async () => {
  const { fixture, requestId, takerSecret } = await tradeWithMany()
  await fixture.publish()
  Object.assign(fixture.transparency, { completeMs: 8_000 })
  const read = () => fixture.relay.readTranscript({ requestId, reader: { kind: 'taker', takerSecret } })
  await fixture.clock.advance(7_000)
  expect(await refusal(read())).toBe('transcript_not_ready')
  await fixture.clock.advance(2_000)
  expect((await read()).leaves.length).toBeGreaterThan(0)
})

test.each([
  ['end', ({ kind }: AuditEntry) => kind !== 'closed'],
  ['signed order', (entry: AuditEntry) => entry.kind !== 'asked' || entry.makerId !== 'bob'],
])('a transcript whose %s a crash took is ready a minute later', async (_part, isKept) => {
  const { fixture, requestId, takerSecret } = await tradeWithMany()
  await fixture.publish()
  const { linesOf } = fixture.transparency
  fixture.transparency.linesOf = async (id) => {
    const found = await linesOf(id)
    return found && { ...found, lines: found.lines.filter(({ record: { entry } }) => entry && isKept(entry)) }
  }
  const read = () => fixture.relay.readTranscript({ requestId, reader: { kind: 'taker', takerSecret } })
  await fixture.clock.advance(50_000)
  expect(await refusal(read())).toBe('transcript_not_ready')
  await fixture.clock.advance(10_001)
  expect((await read()).leaves.length).toBeGreaterThan(0)
})
