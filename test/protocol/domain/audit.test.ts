import { describe, expect, test } from 'vitest'
import { type AuditFact, auditEntryBytes, makerOf, openedEntry } from '../../../src/protocol/domain/audit.ts'
import { contracts, type StrikeBps, usd6 } from '../../../src/protocol/domain/units.ts'
import { aRequest } from '../../ports/store.fixtures.ts'
import { walletOf } from '../../support/arbitraries.ts'

test('an entry is about the maker that it names, or that made its quote', () => {
  const quote = {
    quoteId: 'q',
    requestId: 'r',
    makerId: 'ada',
    maker: '0x',
    side: 'buy',
    price: usd6(1n),
    size: contracts(1n),
    pricedAt: 1,
    expiresAt: 2,
  } as const
  expect(makerOf({ kind: 'quoted', quote, isRequote: false })).toBe('ada')
  expect(makerOf({ kind: 'missed', makerId: 'bob', quoteId: 'q' })).toBe('bob')
  expect(makerOf({ kind: 'closed', status: 'expired' })).toBeNull()
})

test('the opening has the terms of its request, and no secret of it', () => {
  const request = aRequest(7)
  const { requestId, seriesId, expiresAt, wallet, market, option, trade } = request
  const opened = { at: 7, requestId, kind: 'opened', seriesId, expiresAt, makersConnected: 3 }
  const terms = { wallet, market, option, trade }
  expect(openedEntry(request, { makersConnected: 3 })).toEqual({ ...opened, terms })
  const firm = openedEntry({ ...request, firmOnly: true }, { makersConnected: 3 })
  expect(firm).toEqual({ ...opened, terms: { ...terms, firmOnly: true } })
})

describe('the size of an entry', () => {
  const LONG = 10_000
  const text = 'x'.repeat(LONG)
  const opened = (question: string | null): AuditFact => ({
    kind: 'opened',
    terms: {
      wallet: walletOf(1),
      market: { conditionId: `0x${'11'.repeat(32)}`, yesTokenId: '7', question },
      option: { optionType: 'call', strikeBps: 4_500 as StrikeBps, expiryMs: 1 },
      trade: { side: 'sell', size: contracts(1n) },
    },
    seriesId: '1',
    expiresAt: 1,
    makersConnected: 0,
  })
  const committed = (expectedQuoteId: string | null): AuditFact => ({
    kind: 'commit_started',
    terms: { wallet: walletOf(1), limitPrice: null, minContracts: null, expectedQuoteId },
  })
  const maker = { makerId: 'ada', quoteId: 'q' }

  test.each<[string, AuditFact, AuditFact]>([
    ['question of a request', opened(text), opened(null)],
    ['quote that a commit expects', committed(text), committed(null)],
    [
      'reason of a refused quote',
      { kind: 'quote_refused', makerId: 'ada', code: 'c', detail: text },
      { kind: 'quote_refused', makerId: 'ada', code: 'c', detail: '' },
    ],
    [
      'reason of a maker that was passed over',
      { kind: 'passed_over', ...maker, code: 'c', detail: text },
      { kind: 'passed_over', ...maker, code: 'c', detail: '' },
    ],
    [
      'reason of a decline',
      { kind: 'declined', ...maker, waitedMs: 1, reason: text },
      { kind: 'declined', ...maker, waitedMs: 1, reason: null },
    ],
  ])('grows with the %s, by the three bytes that a character takes at most', (_, long, short) => {
    expect(auditEntryBytes(long) - auditEntryBytes(short)).toBe(3 * LONG)
  })

  test('grows with each quote that a commit looked at', () => {
    const seen = (quotes: number): AuditFact => ({
      kind: 'ranked',
      quotes: Array.from({ length: quotes }, (_, i) => ({ quoteId: `q${i}` }) as never),
      hurriedLeft: 0,
      chosen: null,
    })
    expect(auditEntryBytes(seen(3)) - auditEntryBytes(seen(0))).toBe(1_500)
  })

  test('is at least that of its names and ids', () => {
    expect(auditEntryBytes({ kind: 'missed', ...maker })).toBeGreaterThan(100)
  })
})
