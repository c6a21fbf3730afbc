import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sha256 } from '../../../src/lib/ed25519.ts'
import { createQuality } from '../../../src/protocol/domain/quality.ts'
import type { Transcript } from '../../../src/protocol/domain/transcript.ts'
import { decodeQuality, encodeQuality } from '../../../src/protocol/wire/quality.ts'
import { decodeTranscript } from '../../../src/protocol/wire/transcript.ts'
import { settle } from '../../support/fake-clock.ts'
import { fileOf, HISTORY, playHistory } from '../../support/play-history.ts'
import { createTestRelay, refusal, type TestRelay } from '../../support/test-relay.ts'

const OPERATOR = { kind: 'operator' } as const

/** What a reader of the file comes to. */
function byFile(file: string): ReturnType<ReturnType<typeof createQuality>['ofMonth']> {
  const quality = createQuality()
  const { leaves } = decodeTranscript(sha256, file) as Transcript
  for (const leaf of leaves) if ('record' in leaf && leaf.record.entry !== null) quality.add(leaf.record.entry)
  return quality.months().flatMap((month) => quality.ofMonth(month))
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
  expect(operator.makers.map(({ pseudonym }) => pseudonym)).toEqual(makers.map(({ pseudonym }) => pseudonym))
  expect(operator.makers.map(({ makerId }) => makerId).sort()).toEqual(['ada', 'bob'])
  expect((await fixture.relay.readQuality({ month: '1999-12', reader: OPERATOR })).makers).toEqual([])
})

test('there are none without a log', async () => {
  expect(await refusal(named(createTestRelay()))).toBe('not_found')
})
