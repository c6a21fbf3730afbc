import { describe, expect, it } from 'vitest'
import type { RequestSnapshot } from '../../src/client/index.ts'
import type { AuditEntry, AuditFact } from '../../src/protocol/domain/audit.ts'
import type { Side } from '../../src/protocol/domain/request.ts'
import { usd6 } from '../../src/protocol/domain/units.ts'
import {
  afterEntry,
  afterRankChange,
  bestBid,
  bestQuote,
  dealOf,
  openedRequest,
  type RequestView,
  rankedQuotes,
  requestOfSnapshot,
} from '../../src/web/dashboard/request-view.ts'
import { asked, happened, idOf, NOON, opened, openedBoth, quoted, quotedBoth, quoteOf, termsOf } from './scene.ts'

const entryOf = (event: ReturnType<typeof happened>) => {
  if (event.kind !== 'happened') throw new Error('nothing happened')
  return event.entry
}

const entered = (view: RequestView, entry: AuditEntry, isDemoted = (_: string) => false) =>
  afterEntry(view, entry, isDemoted)

/** A buy request after some events, each so many milliseconds before noon. */
function viewOf(...events: ReturnType<typeof happened>[]): RequestView {
  const first = entryOf(opened(2, 60_000))
  if (first.kind !== 'opened') throw new Error('not opened')
  return events.map(entryOf).reduce((view, entry) => entered(view, entry), openedRequest(first))
}

const quote = { makerId: 'ada', quoteId: 'ada-2' }
const names = (view: RequestView) => rankedQuotes(view, NOON).map(({ makerId }) => makerId)

describe('a request', () => {
  it('ranks its live quotes by the one order, and draws a dot for each and a path for the best', () => {
    const view = viewOf(
      quoted(2, 50_000, 'ada', 130_000n),
      quoted(2, 40_000, 'bob', 120_000n),
      quoted(2, 30_000, 'ada', 110_000n),
    )
    expect(names(view)).toEqual(['ada', 'bob'])
    expect(bestQuote(view, NOON)).toMatchObject({ makerId: 'ada', price: usd6(110_000n) })
    expect(view.dots.map(({ price }) => price)).toEqual([130_000n, 120_000n, 110_000n])
    expect(view.bests.map(({ price }) => price)).toEqual([130_000n, 120_000n, 110_000n])
  })

  it('drops quotes that were withdrawn, ran out, or are past their time', () => {
    const view = viewOf(
      quoted(2, 50_000, 'ada', 130_000n),
      quoted(2, 40_000, 'bob', 120_000n),
      quoted(2, 40_000, 'cyd', 125_000n),
      happened(2, 20_000, { kind: 'quote_withdrawn', makerId: 'bob', quoteId: 'bob-2' }),
      happened(2, 20_000, { kind: 'quote_expired', makerId: 'cyd', quoteId: 'cyd-2' }),
    )
    expect(names(view)).toEqual(['ada'])
    expect(view.bests.at(-1)?.price).toBe(130_000n)
    expect(rankedQuotes(view, NOON + 60_000)).toEqual([])
    expect(bestQuote(view, NOON + 60_000)).toBeNull()
  })

  it("never shows the taker's own quote as best (decision Q6)", () => {
    const view = viewOf(quoted(2, 50_000, 'ada', 130_000n))
    const own = { ...view, terms: { ...view.terms, wallet: quoteOf(2, 'ada', 1n, 0).maker } }
    expect([bestQuote(own, NOON), rankedQuotes(own, NOON)]).toEqual([null, []])
  })

  it('keeps why a quote was refused; one that cannot be paid takes the former one along (decision Q4)', () => {
    const refused = (code: string): AuditFact => ({ kind: 'quote_refused', makerId: 'ada', code, detail: 'holds 3' })
    const first = quoted(2, 50_000, 'ada', 130_000n)
    expect(names(viewOf(first, happened(2, 9, refused('price_above_max_payoff'))))).toEqual(['ada'])
    const insolvent = viewOf(first, happened(2, 9, refused('maker_insufficient_allowance')))
    expect(names(insolvent)).toEqual([])
    expect(insolvent.refusals).toMatchObject([
      { makerId: 'ada', code: 'maker_insufficient_allowance', detail: 'holds 3' },
    ])
  })

  it('waits for the maker that is asked, until that maker answers', () => {
    const waiting = viewOf(quoted(2, 50_000, 'ada', 130_000n), asked(2, 3_000, 'ada'))
    expect(waiting).toMatchObject({
      isCommitting: true,
      waiting: { makerId: 'ada', askedAt: NOON - 3_000, deadline: NOON + 7_000 },
      candidates: [{ makerId: 'ada', outcome: 'asked' }],
    })
    const signed = entered(
      waiting,
      entryOf(happened(2, 1_000, { kind: 'confirmed', ...quote, executionId: 'e', waitedMs: 2_000 })),
    )
    expect(signed).toMatchObject({
      waiting: null,
      isCommitting: false,
      candidates: [{ makerId: 'ada', outcome: 'confirmed' }],
    })
    const closed = entered(signed, entryOf(happened(2, 1_000, { kind: 'closed', status: 'committed' })))
    expect(closed).toMatchObject({ status: 'committed', closedAt: NOON - 1_000 })
    expect(closed.quotes.size).toBe(1)
    expect(dealOf(closed, NOON + 3_600_000)).toEqual({
      makerId: 'ada',
      price: 120_000n,
      contracts: 833n,
      premium: 99_960_000n,
    })
  })

  it.each([
    ['missed', { kind: 'missed', ...quote }],
    ['declined', { kind: 'declined', ...quote, waitedMs: 5, reason: null }],
  ] as const)('ranks a maker that %s behind the others, also when it quotes again', (outcome, fact) => {
    const view = viewOf(
      quoted(2, 50_000, 'ada', 110_000n),
      quoted(2, 50_000, 'bob', 130_000n),
      asked(2, 9_000, 'ada'),
      happened(2, 5_000, fact),
      quoted(2, 1_000, 'ada', 100_000n),
    )
    expect(view.candidates).toMatchObject([{ makerId: 'ada', outcome }])
    expect(names(view)).toEqual(['bob', 'ada'])
  })

  it('remembers the misses of a maker whose quote was gone meanwhile', () => {
    const view = viewOf(
      quoted(2, 50_000, 'ada', 110_000n),
      quoted(2, 50_000, 'bob', 130_000n),
      asked(2, 9_000, 'ada'),
      happened(2, 5_000, { kind: 'missed', ...quote }),
      happened(2, 4_000, { kind: 'quote_withdrawn', ...quote }),
      quoted(2, 1_000, 'ada', 100_000n),
    )
    expect(names(view)).toEqual(['bob', 'ada'])
  })

  it('tells whom the ladder went past and why: only who is away has missed (decision C5)', () => {
    const past = (code: string): AuditFact => ({ kind: 'passed_over', ...quote, code, detail: 'why' })
    const quotes = [quoted(2, 50_000, 'ada', 110_000n), quoted(2, 50_000, 'bob', 130_000n)] as const
    const away = viewOf(...quotes, happened(2, 9, past('maker_unreachable')))
    const broke = viewOf(...quotes, happened(2, 9, past('maker_insufficient_balance')))
    expect(away.candidates).toMatchObject([{ outcome: 'unreachable', detail: 'why' }])
    expect(broke.candidates).toMatchObject([{ outcome: 'insolvent', detail: 'why' }])
    expect([names(away), names(broke)]).toEqual([
      ['bob', 'ada'],
      ['ada', 'bob'],
    ])
  })

  it('starts a new ladder with each commit, and is open again after one that failed', () => {
    const commit: AuditFact = {
      kind: 'commit_started',
      terms: { wallet: '0x', limitPrice: null, minContracts: null, expectedQuoteId: null },
    }
    const view = viewOf(
      quoted(2, 50_000, 'ada', 110_000n),
      happened(2, 9_100, commit),
      asked(2, 9_000, 'ada'),
      happened(2, 5_000, { kind: 'missed', ...quote }),
      happened(2, 4_900, { kind: 'commit_refused', code: 'no_maker_confirmed' }),
    )
    expect(view).toMatchObject({ isCommitting: false, waiting: null, commitFrom: 0, status: 'open' })
    expect(entered(view, entryOf(happened(2, 100, commit)))).toMatchObject({ isCommitting: true, commitFrom: 1 })
  })

  it('a wrong signature changes nothing but the audit log: the deadline runs on', () => {
    const view = viewOf(asked(2, 3_000, 'ada'))
    const refused = entered(view, entryOf(happened(2, 1_000, { kind: 'signature_refused', ...quote })))
    expect({ ...refused, auditLog: [] }).toEqual({ ...view, auditLog: [] })
    expect(refused.auditLog).toHaveLength(3)
  })

  it('ranks a demoted maker behind the others, with what it quotes and from when it is known', () => {
    const bob = viewOf(quoted(2, 50_000, 'bob', 130_000n))
    const view = entered(bob, entryOf(quoted(2, 40_000, 'ada', 110_000n)), (makerId) => makerId === 'ada')
    expect(names(view)).toEqual(['bob', 'ada'])
    expect(names(entered(view, entryOf(quoted(2, 30_000, 'ada', 100_000n))))).toEqual(['bob', 'ada'])
    const forgiven = afterRankChange(view, 'ada', false, NOON)
    expect(names(forgiven)).toEqual(['ada', 'bob'])
    expect(names(afterRankChange(forgiven, 'ada', true, NOON))).toEqual(['bob', 'ada'])
    expect(afterRankChange(view, 'cyd', true, NOON)).toBe(view)
  })

  it('keeps no more than a screen can use', () => {
    const view = viewOf(...Array.from({ length: 500 }, (_, i) => quoted(2, 50_000 - i, 'ada', BigInt(100_000 + i))))
    expect([view.dots.length, view.auditLog.length]).toEqual([200, 100])
    expect(view.bests.length).toBeLessThanOrEqual(200)
  })
})

describe('a request for both sides', () => {
  const commit = (side: Side): AuditFact => ({
    kind: 'commit_started',
    terms: { wallet: '0x', side, limitPrice: null, minContracts: null, expectedQuoteId: null },
  })
  const first = entryOf(openedBoth(2, 60_000))
  const bothOf = (...events: ReturnType<typeof happened>[]): RequestView =>
    events
      .map(entryOf)
      .reduce((view, entry) => entered(view, entry), openedRequest(first as Extract<AuditEntry, { kind: 'opened' }>))
  const quotes = [
    quotedBoth(2, 50_000, { makerId: 'ada', bid: 100_000n, ask: 130_000n }),
    quotedBoth(2, 40_000, { makerId: 'bob', bid: 110_000n, ask: 140_000n }),
    quotedBoth(2, 30_000, { makerId: 'cyd', bid: 90_000n, ask: 120_000n }),
  ]

  it('ranks each side by its own prices, and follows both', () => {
    const view = bothOf(...quotes)
    expect(view.side).toBeNull()
    expect(names(view)).toEqual(['cyd', 'ada', 'bob'])
    expect(bestQuote(view, NOON)).toMatchObject({ makerId: 'cyd', price: 120_000n })
    expect(bestBid(view, NOON)).toMatchObject({ makerId: 'bob', price: 110_000n })
    expect(dealOf(view, NOON)).toMatchObject({ price: 120_000n, bid: 110_000n, contracts: 50n })
    expect(view.bests.map(({ price }) => price)).toEqual([130_000n, 120_000n])
    expect(view.bids.map(({ price }) => price)).toEqual([100_000n, 110_000n])
    expect(view.dots.map(({ price, bid }) => [price, bid])).toContainEqual([130_000n, 100_000n])
  })

  it('is read on the side of a commit, and on both again once that has failed', () => {
    const sold = bothOf(...quotes, happened(2, 9_100, commit('sell')))
    expect([sold.side, ...names(sold)]).toEqual(['sell', 'bob', 'ada', 'cyd'])
    expect(bestBid(sold, NOON)).toBeNull()
    expect(dealOf(sold, NOON)).toEqual({ makerId: 'bob', price: 110_000n, contracts: 50n, premium: 5_500_000n })
    const later = entered(sold, entryOf(quotedBoth(2, 5_000, { makerId: 'dan', bid: 80_000n, ask: 115_000n })))
    expect([later.bests.at(-1)?.price, later.bids.at(-1)?.price]).toEqual([115_000n, 110_000n])
    const open = entered(sold, entryOf(happened(2, 4_900, { kind: 'commit_refused', code: 'no_maker_confirmed' })))
    expect([open.side, ...names(open)]).toEqual([null, 'cyd', 'ada', 'bob'])
  })

  it('is traded at the price of its side, also where no order is shown', () => {
    const sold = bothOf(
      ...quotes,
      happened(2, 9_100, commit('sell')),
      happened(2, 8_000, { kind: 'confirmed', makerId: 'bob', quoteId: 'bob-2', executionId: 'e', waitedMs: 1 }),
      happened(2, 8_000, { kind: 'closed', status: 'committed' }),
    )
    expect(dealOf(sold, NOON)).toMatchObject({ makerId: 'bob', price: 110_000n })
  })

  it('takes its side from the order that a maker is asked to sign, if its commit is unknown', () => {
    expect(bothOf(...quotes, asked(2, 9_000, 'cyd')).side).toBe('buy')
  })

  it('in a snapshot without a commit has no side, whatever was known before', () => {
    const past = bothOf(...quotes, happened(2, 9_100, commit('sell')))
    const again: RequestSnapshot = {
      requestId: idOf(2),
      seriesId: '77',
      locked: true,
      terms: past.terms,
      createdAt: NOON - 60_000,
      expiresAt: NOON + 240_000,
      quotes: [...past.quotes.values()],
      quoteCount: 3,
      pending: null,
    }
    expect(requestOfSnapshot(again, { ...past, isCommitting: false }).side).toBeNull()
    expect(requestOfSnapshot(again, past).side).toBe('sell')
    expect(requestOfSnapshot(again, undefined)).toMatchObject({ side: null, dots: [{ bid: 100_000n }, {}, {}] })
  })
})

describe('a request in a snapshot', () => {
  const standing: RequestSnapshot = {
    requestId: idOf(2),
    seriesId: '77',
    createdAt: NOON - 60_000,
    expiresAt: NOON + 240_000,
    locked: true,
    terms: termsOf(2),
    quotes: [
      { ...quoteOf(2, 'bob', 130_000n, NOON - 9_000), misses: 0, isDemoted: false },
      { ...quoteOf(2, 'ada', 110_000n, NOON - 8_000), misses: 1, isDemoted: false },
    ],
    quoteCount: 5,
    pending: { makerId: 'bob', quoteId: 'bob-2', askedAt: NOON - 2_000, deadline: NOON + 8_000 },
  }

  it('has its quotes with their misses, how many more there are, and whom it waits for', () => {
    const view = requestOfSnapshot(standing, undefined)
    expect(names(view)).toEqual(['bob', 'ada'])
    expect(view).toMatchObject({ hiddenQuotes: 3, isCommitting: true, waiting: { makerId: 'bob' } })
    expect(view.candidates).toMatchObject([{ makerId: 'bob', outcome: 'asked' }])
    expect(view.dots).toHaveLength(2)
  })

  it('keeps its past from the audit log, and is corrected where the two differ', () => {
    const past = viewOf(
      quoted(2, 50_000, 'gone', 90_000n),
      happened(2, 20_000, { kind: 'quote_refused', makerId: 'eve', code: 'side_mismatch', detail: 'sides' }),
      asked(2, 2_000, 'bob'),
    )
    const view = requestOfSnapshot(standing, past)
    expect(names(view)).toEqual(['bob', 'ada'])
    expect(view.refusals).toMatchObject([{ makerId: 'eve' }])
    expect(view.candidates).toHaveLength(1)
    expect(view.auditLog).toBe(past.auditLog)
  })

  it('no maker is asked in a quiet one', () => {
    expect(requestOfSnapshot({ ...standing, pending: null }, undefined)).toMatchObject({
      waiting: null,
      isCommitting: false,
      candidates: [],
    })
  })
})
