import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sha256, verifyEd25519 } from '../../../src/lib/ed25519.ts'
import { createQuality, type Quality } from '../../../src/protocol/domain/quality.ts'
import { type Transcript, verifyTranscript } from '../../../src/protocol/domain/transcript.ts'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import { decodeQuality, encodeQuality } from '../../../src/protocol/wire/quality.ts'
import { decodeTranscript } from '../../../src/protocol/wire/transcript.ts'
import { settle } from '../../support/fake-clock.ts'
import { fileOf, HISTORY, playHistory } from '../../support/play-history.ts'
import { createTestRelay, refusal, type TestRelay } from '../../support/test-relay.ts'

const OPERATOR = { kind: 'operator' } as const

/** What a reader of the file comes to. */
function byFile(file: string): { makerId: string; quality: Quality }[] {
  const quality = createQuality()
  const transcript = decodeTranscript(sha256, file) as Transcript
  for (const entry of verifyTranscript(transcript, { sha256, verify: verifyEd25519 }).entries) quality.add(entry)
  return quality
    .months()
    .flatMap((month) => quality.ofMonth(month).map(({ makerId, quality }) => ({ makerId, quality })))
}

const named = ({ relay }: TestRelay) => relay.readQuality({ month: null, reader: OPERATOR })

test('the figures of a relay are those that its transcripts give', async () => {
  let compared = 0
  await fc.assert(
    fc.asyncProperty(HISTORY, async (history) => {
      const { fixture, requestId } = await playHistory(history)
      await fixture.publish()
      const { makers, from, to } = await named(fixture)
      const file = await fileOf(fixture, requestId, OPERATOR).catch(() => null)
      const expected = file === null ? [] : byFile(file)
      expect(makers.map(({ pseudonym: _, makerId, ...quality }) => ({ makerId, quality }))).toEqual(expected)
      if (file !== null) expect([from, to]).toEqual([0, (decodeTranscript(sha256, file) as Transcript).leaves.length])
      compared += expected.length
      const report = await named(fixture)
      expect(decodeQuality(JSON.parse(JSON.stringify(encodeQuality(report))))).toEqual(report)
    }),
    { numRuns: 60 },
  )
  expect(compared).toBeGreaterThan(20)
})

test('others see a maker under one pseudonym, the maker itself and the operator by its name', async () => {
  const fixture = createTestRelay({ hasTransparencyLog: true })
  for (const name of ['ada', 'bob']) await fixture.connect(name)
  const { requestId } = await fixture.open()
  for (const name of ['ada', 'bob']) await fixture.quote(name, requestId)
  const commit = refusal(fixture.commit(requestId))
  await settle()
  await fixture.clock.advance(60_000)
  expect(await commit).toBe('no_maker_confirmed')
  await fixture.publish()
  const { makers } = await fixture.relay.readQuality({ month: null, reader: { kind: 'anyone' } })
  expect(makers.map(({ makerId }) => makerId)).toEqual([null, null])
  expect(JSON.stringify(encodeQuality({ month: '2027-01', from: 0, to: 1, makers }))).not.toMatch(/ada|bob/)
  const own = await fixture.relay.readQuality({ month: null, reader: { kind: 'maker', makerId: 'bob' } })
  expect(own.makers.map(({ makerId }) => makerId).sort()).toEqual(['bob', null])
  const operator = await named(fixture)
  // In the order of their names for the operator alone.
  const pseudonyms = makers.map(({ pseudonym }) => pseudonym)
  expect(pseudonyms).toEqual([...pseudonyms].sort())
  expect(operator.makers.map(({ pseudonym }) => pseudonym).sort()).toEqual(pseudonyms)
  expect(operator.makers.map(({ makerId }) => makerId).sort()).toEqual(['ada', 'bob'])
  expect((await fixture.relay.readQuality({ month: '1999-12', reader: OPERATOR })).makers).toEqual([])
})

test("the gain of takers is shown by tens of a maker's trades, since one alone shows the price of the maker that lost", async () => {
  const fixture = createTestRelay({ hasTransparencyLog: true })
  const ada = await fixture.connect('ada')
  const gains: Record<string, unknown[]> = { anyone: [], maker: [], operator: [] }
  for (let trade = 1; trade <= 11; trade += 1) {
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId, { price: usd6(100_000n) })
    await fixture.quote('bob', requestId, { price: usd6(100_000n + BigInt(trade)) })
    const commit = fixture.commit(requestId)
    await settle()
    await ada.confirm()
    await commit
    await fixture.publish()
    await fixture.clock.advance(5_000)
    for (const reader of [{ kind: 'anyone' }, { kind: 'maker', makerId: 'ada' }, OPERATOR] as const) {
      const { makers } = await fixture.relay.readQuality({ month: null, reader })
      gains[reader.kind]?.push(makers.find(({ signed }) => signed > 0)?.improvement.trades)
    }
  }
  const inTens = [0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 10]
  expect(gains).toEqual({ anyone: inTens, maker: inTens, operator: inTens.map((_, i) => i + 1) })
  const { makers } = await fixture.relay.readQuality({ month: null, reader: { kind: 'anyone' } })
  // 1,000 options each, at 1 to 10 micro-dollars more.
  expect(makers.find(({ signed }) => signed > 0)?.improvement).toEqual({ trades: 10, amount: 55_000n })
})

test('there are none without a log', async () => {
  expect(await refusal(named(createTestRelay()))).toBe('not_found')
})
