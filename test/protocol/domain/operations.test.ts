import { expect, test } from 'vitest'
import { makerStanding } from '../../../src/protocol/domain/operations.ts'
import { afterFact, type MakerFact, NEW_MAKER } from '../../../src/protocol/domain/reliability.ts'

const ADA = { makerId: 'ada', streams: 1, sockets: 2, demotedUntil: null, suspendedUntil: null }

test('the standing of a maker counts what it did, and rates it', () => {
  const facts: MakerFact[] = [
    { at: 1, kind: 'quoted', isRequote: false },
    { at: 2, kind: 'quoted', isRequote: true },
    { at: 3, kind: 'asked' },
    { at: 4, kind: 'confirmed', waitedMs: 40 },
    { at: 5, kind: 'quote_refused', code: 'side_mismatch', detail: 'sides' },
  ]
  expect(makerStanding({ ...ADA, record: facts.reduce(afterFact, NEW_MAKER) })).toEqual({
    ...ADA,
    quotes: 2,
    requestsQuoted: 1,
    refused: 1,
    asked: 1,
    confirmed: 1,
    declined: 0,
    missed: 0,
    hitRate: 1,
    score: 100,
    confirmP50Ms: 40,
    confirmP99Ms: 40,
    lastQuoteAt: 2,
    lastRefusal: { at: 5, code: 'side_mismatch', detail: 'sides' },
  })
})

test('a maker that has done nothing yet is not rated', () => {
  const unknown = { hitRate: null, score: null, confirmP50Ms: null, confirmP99Ms: null, lastQuoteAt: null }
  expect(makerStanding({ ...ADA, record: NEW_MAKER })).toMatchObject(unknown)
})
