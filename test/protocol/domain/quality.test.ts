import { expect, test } from 'vitest'
import type { AuditEntry, AuditFact, SeenQuote } from '../../../src/protocol/domain/audit.ts'
import { buildOrder } from '../../../src/protocol/domain/order.ts'
import { createQuality, type Quality } from '../../../src/protocol/domain/quality.ts'
import type { Quote } from '../../../src/protocol/domain/quote.ts'
import { contracts, usd6 } from '../../../src/protocol/domain/units.ts'
import { quoteOf, seen } from '../../support/ranked-quotes.ts'
import { CALL_BUY, TAKER } from '../../support/test-relay.ts'

const AT = Date.parse('2027-01-31T23:59:00.000Z')
const requestOf = ({ side }: Quote) => ({
  ...(side === 'buy' ? CALL_BUY : { ...CALL_BUY, trade: { side, size: contracts(1_000n) } }),
  seriesId: '77',
})

const entry = (after: number, fact: AuditFact, requestId = 'r1'): AuditEntry => ({ at: AT + after, requestId, ...fact })

const OPENED: AuditFact = {
  kind: 'opened',
  terms: CALL_BUY,
  seriesId: '77',
  expiresAt: AT + 300_000,
  makersConnected: 2,
}
const COMMIT: AuditFact = {
  kind: 'commit_started',
  terms: { wallet: TAKER, limitPrice: null, minContracts: null, expectedQuoteId: null },
}

const ADA = quoteOf(AT, 'ada', 100_000n)
const BOB = quoteOf(AT, 'bob', 110_000n)
const CYD = quoteOf(AT, 'cyd', 125_000n)
const quoted = (quote: Quote, isRequote = false): AuditFact => ({ kind: 'quoted', quote, isRequote })
const asked = ({ makerId, quoteId }: Quote, quote: Quote, after: number): AuditFact => ({
  kind: 'asked',
  makerId,
  quoteId,
  order: buildOrder({ request: requestOf(quote), quote, taker: TAKER, validUntil: 9, nonce: 1 }),
  deadline: AT + after,
})
const signed = ({ makerId, quoteId }: Quote, waitedMs: number): AuditFact => ({
  kind: 'confirmed',
  makerId,
  quoteId,
  executionId: 'e1',
  waitedMs,
})

/** Ada declines, Bob misses, Cyd signs; nobody is behind Cyd. */
const LIFE: readonly AuditEntry[] = [
  entry(0, OPENED),
  entry(87, quoted(ADA)),
  entry(1_234, quoted(BOB)),
  entry(1_290, quoted(CYD)),
  entry(1_400, quoted(CYD, true)),
  entry(2_000, COMMIT),
  entry(2_001, { kind: 'ranked', quotes: [seen(ADA), seen(BOB), seen(CYD)], hurriedLeft: 2, chosen: 'q-ada' }),
  entry(2_010, asked(ADA, ADA, 12_010)),
  entry(2_460, { kind: 'declined', makerId: 'ada', quoteId: 'q-ada', waitedMs: 450, reason: null }),
  entry(2_500, asked(BOB, BOB, 12_500)),
  entry(12_500, { kind: 'missed', makerId: 'bob', quoteId: 'q-bob' }),
  entry(12_501, {
    kind: 'ranked',
    quotes: [seen(CYD), seen(ADA, { isConsidered: true })],
    hurriedLeft: 2,
    chosen: 'q-cyd',
  }),
  entry(12_510, asked(CYD, CYD, 22_510)),
  entry(70_000, signed(CYD, 999)),
  entry(90_000, { kind: 'order_filled', makerId: 'cyd', quoteId: 'q-cyd', transactionHash: '0x01', blockNumber: 5 }),
]

function figures(entries: readonly AuditEntry[], month = '2027-01'): Record<string, Quality> {
  const quality = createQuality()
  for (const one of entries) quality.add(one)
  return Object.fromEntries(quality.ofMonth(month).map(({ makerId, quality }) => [makerId, quality]))
}

const none = { count: 0, p50Ms: null, p95Ms: null }
const one = (ms: number) => ({ count: 1, p50Ms: ms, p95Ms: ms })
const NOTHING: Quality = {
  requests: 0,
  response: none,
  asked: 0,
  signed: 0,
  declined: 0,
  missed: 0,
  held: none,
  filled: 0,
  improvement: { trades: 0, amount: usd6(0n) },
}

test('counts what each maker was asked and did, in the month in which it did it, to two digits of a time', () => {
  expect(figures(LIFE)).toEqual({
    ada: { ...NOTHING, requests: 1, response: one(87), asked: 1, declined: 1, held: one(450) },
    bob: { ...NOTHING, requests: 1, response: one(1_200), asked: 1, missed: 1, held: one(10_000) },
    cyd: { ...NOTHING, requests: 1, response: one(1_300), asked: 1 },
  })
  expect(figures(LIFE, '2027-02')).toEqual({ cyd: { ...NOTHING, signed: 1, held: one(1_000), filled: 1 } })
})

test('counts no quote of a request without a commit', () => {
  expect(figures(LIFE.slice(0, 5))).toEqual({})
})

test('an answer counts in whatever order the nodes entered opening, quote and commit', () => {
  const [opened, quote, , , , commit] = LIFE as [AuditEntry, AuditEntry, AuditEntry, AuditEntry, AuditEntry, AuditEntry]
  for (const order of [
    [opened, quote, commit],
    [commit, quote, opened],
    [quote, commit, opened],
    [commit, opened, quote],
  ])
    expect(figures(order)).toEqual({ ada: { ...NOTHING, requests: 1, response: one(87) } })
})

test('an ask that a crash had entered again counts once', () => {
  const again = LIFE.flatMap((one) => (one.kind === 'asked' ? [one, one] : [one as AuditEntry]))
  expect(figures(again)).toEqual(figures(LIFE))
})

test('the gain of a taker is that over the next quote of another maker', () => {
  const trade = (chosen: Quote, others: readonly SeenQuote[]): AuditEntry[] => [
    entry(1, { kind: 'ranked', quotes: [seen(chosen), ...others], hurriedLeft: 0, chosen: chosen.quoteId }),
    entry(2, asked(chosen, chosen, 10_000)),
    entry(3, signed(chosen, 5)),
  ]
  // 100 dollars buy 1,000 options at $0.10; at $0.125 they would cost 25 dollars more.
  const amountOf = (entries: readonly AuditEntry[]) => Object.values(figures(entries))[0]?.improvement
  const considered = seen(BOB, { isConsidered: true })
  expect(amountOf(trade(ADA, [considered, seen(CYD)]))).toEqual({ trades: 1, amount: 25_000_000n })
  expect(amountOf(trade(ADA, []))).toEqual({ trades: 0, amount: 0n })
  const [sold, less] = [quoteOf(AT, 'ada', 100_000n, { side: 'sell' }), quoteOf(AT, 'bob', 90_000n, { side: 'sell' })]
  expect(amountOf(trade(sold, [seen(less)]))).toEqual({ trades: 1, amount: 10_000_000n })
  // The look was another's, or there is none.
  expect(amountOf(trade(ADA, [seen(BOB)]).slice(1))?.trades).toBe(0)
  const other = { kind: 'ranked', quotes: [seen(BOB), seen(ADA)], hurriedLeft: 0, chosen: 'q-bob' } as const
  expect(amountOf([entry(1, other), ...trade(ADA, []).slice(1)])?.trades).toBe(0)
  const absent = { ...other, chosen: 'q-ada', quotes: [seen(BOB)] }
  expect(amountOf([entry(1, absent), ...trade(ADA, []).slice(1)])?.trades).toBe(0)
})

test('a firm quote was held for no one, and its order comes with the signature', () => {
  const ask = asked(ADA, ADA, 1) as Extract<AuditFact, { kind: 'asked' }>
  const look = entry(1, { kind: 'ranked', quotes: [seen(ADA), seen(BOB)], hurriedLeft: 0, chosen: 'q-ada' })
  const firm = { ...(signed(ADA, 0) as Extract<AuditFact, { kind: 'confirmed' }>), order: ask.order }
  expect(figures([look, entry(2, firm)])).toEqual({
    ada: { ...NOTHING, signed: 1, improvement: { trades: 1, amount: usd6(10_000_000n) } },
  })
})

test('a signature whose order or whose look is another says nothing of a gain', () => {
  const look = (quotes: readonly SeenQuote[], chosen: string) =>
    entry(1, { kind: 'ranked', quotes, hurriedLeft: 0, chosen })
  const alone = { ada: { ...NOTHING, signed: 1 } }
  expect(figures([look([seen(ADA), seen(BOB)], 'q-ada'), entry(3, signed(ADA, 5))])).toEqual(alone)
  const ask = entry(2, asked(ADA, ADA, 10_000))
  const held = { ada: { ...NOTHING, asked: 1, signed: 1, held: one(5) } }
  expect(figures([look([seen(BOB), seen(ADA)], 'q-bob'), ask, entry(3, signed(ADA, 5))])).toEqual(held)
  expect(figures([look([seen(ADA)], 'q-ada'), ask, entry(3, signed(ADA, 5))])).toEqual(held)
  expect(figures([ask, entry(3, signed(ADA, 5))])).toEqual(held)
})

test('the part of the gain that shows no single price is that of full tens of trades', () => {
  const quality = createQuality()
  const shown = () => quality.ofMonth('2027-01')[0]?.improvementInTens
  for (let i = 1; i <= 19; i += 1) {
    const look = { kind: 'ranked', quotes: [seen(ADA), seen(BOB)], hurriedLeft: 0, chosen: 'q-ada' } as const
    for (const fact of [look, asked(ADA, ADA, 10_000), signed(ADA, 5)]) quality.add(entry(i, fact, `r${i}`))
    expect(shown()).toEqual(i < 10 ? { trades: 0, amount: 0n } : { trades: 10, amount: 100_000_000n })
  }
})

test('a miss and a signature without their ask say nothing of times', () => {
  expect(figures([entry(1, { kind: 'missed', makerId: 'ada', quoteId: 'q-ada' }), entry(2, signed(BOB, 7))])).toEqual({
    ada: { ...NOTHING, missed: 1 },
    bob: { ...NOTHING, signed: 1 },
  })
})

test('p95 is what nineteen of twenty times do not exceed', () => {
  const answers = Array.from({ length: 20 }, (_, i) => [
    entry(0, OPENED, `r${i}`),
    entry((i + 1) * 10, quoted(ADA), `r${i}`),
    entry(500, COMMIT, `r${i}`),
  ]).flat()
  expect(figures(answers).ada?.response).toEqual({ count: 20, p50Ms: 100, p95Ms: 190 })
})

test('makers that quoted on as many requests have the order of their ids', () => {
  const both = [entry(0, OPENED), entry(1, quoted(BOB)), entry(2, quoted(ADA)), entry(3, quoted(CYD)), entry(9, COMMIT)]
  const again = [entry(0, OPENED, 'r2'), entry(1, quoted(CYD), 'r2'), entry(9, COMMIT, 'r2')]
  const closed = entry(10, { kind: 'closed', status: 'expired' })
  expect(Object.keys(figures([...both, ...again, closed]))).toEqual(['cyd', 'ada', 'bob'])
})

test('shows the most active first, at most 500, and remembers a bounded number of requests and makers', () => {
  const quality = createQuality()
  const missed = (makerId: string, requestId: string) =>
    quality.add(entry(1, { kind: 'missed', makerId, quoteId: 'q' }, requestId))
  for (let i = 0; i < 10_050; i += 1) missed(`m${String(i).padStart(5, '0')}`, `r${i}`)
  const makers = quality.ofMonth('2027-01')
  expect(makers).toHaveLength(500)
  expect(makers[0]?.makerId).toBe('m00000')
  quality.add(
    entry(1, { kind: 'order_filled', makerId: 'm00777', quoteId: 'q', transactionHash: '0x', blockNumber: 1 }),
  )
  expect(quality.ofMonth('2027-01')[0]?.makerId).toBe('m00777')
  expect(quality.months()).toEqual(['2027-01'])
  // Maker 10,001 came too late to have figures.
  quality.add(
    entry(1, { kind: 'order_filled', makerId: 'm10049', quoteId: 'q', transactionHash: '0x', blockNumber: 1 }),
  )
  expect(quality.ofMonth('2027-01').some(({ makerId }) => makerId === 'm10049')).toBe(false)
})
