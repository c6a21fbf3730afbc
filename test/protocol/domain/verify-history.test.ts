import { expect, test } from 'vitest'
import type { AuditEntry, SeenQuote } from '../../../src/protocol/domain/audit.ts'
import { buildOrder, orderDigest, orderDomain } from '../../../src/protocol/domain/order.ts'
import type { Quote } from '../../../src/protocol/domain/quote.ts'
import { contracts, usd6 } from '../../../src/protocol/domain/units.ts'
import { checkHistory } from '../../../src/protocol/domain/verify-history.ts'
import { quoteOf, seen } from '../../support/ranked-quotes.ts'
import { CALL_BUY, TAKER, walletOf } from '../../support/test-relay.ts'

const AT = 1_767_225_600_000
const DOMAIN = { chainId: 31_337, settlementAddress: walletOf('settlement') }
const REQUEST = { ...CALL_BUY, seriesId: '77' }

const ADA = quoteOf(AT, 'ada', 100_000n)
const BOB = quoteOf(AT, 'bob', 110_000n)
const CYD = quoteOf(AT, 'cyd', 120_000n)

const orderOf = (quote: Quote) =>
  buildOrder({ request: REQUEST, quote, taker: TAKER, validUntil: AT / 1_000 + 130, nonce: 3 })

type Fact = AuditEntry extends infer Entry ? (Entry extends AuditEntry ? Omit<Entry, 'requestId'> : never) : never

/** Ada is asked and misses, Bob signs. */
const FACTS: readonly Fact[] = [
  { at: AT, kind: 'opened', terms: CALL_BUY, seriesId: '77', expiresAt: AT + 300_000, makersConnected: 3 },
  { at: AT + 100, kind: 'quoted', quote: ADA, isRequote: false },
  { at: AT + 110, kind: 'quoted', quote: BOB, isRequote: false },
  { at: AT + 120, kind: 'quoted', quote: CYD, isRequote: false },
  {
    at: AT + 10_000,
    kind: 'commit_started',
    terms: { wallet: TAKER, limitPrice: null, minContracts: null, expectedQuoteId: null },
  },
  { at: AT + 10_001, kind: 'ranked', quotes: [seen(ADA), seen(BOB), seen(CYD)], hurriedLeft: 2, chosen: 'q-ada' },
  { at: AT + 10_010, kind: 'asked', makerId: 'ada', quoteId: 'q-ada', order: orderOf(ADA), deadline: AT + 20_000 },
  { at: AT + 20_000, kind: 'missed', makerId: 'ada', quoteId: 'q-ada' },
  {
    at: AT + 20_001,
    kind: 'ranked',
    quotes: [seen(BOB), seen(CYD), seen(ADA, { misses: 1, isConsidered: true })],
    hurriedLeft: 2,
    chosen: 'q-bob',
  },
  { at: AT + 20_010, kind: 'asked', makerId: 'bob', quoteId: 'q-bob', order: orderOf(BOB), deadline: AT + 30_000 },
  {
    at: AT + 21_000,
    kind: 'confirmed',
    makerId: 'bob',
    quoteId: 'q-bob',
    executionId: 'e1',
    waitedMs: 990,
    orderHash: orderDigest(orderOf(BOB), orderDomain(DOMAIN.chainId, DOMAIN.settlementAddress)),
  },
  { at: AT + 21_001, kind: 'closed', status: 'committed' },
]

const check = (facts: readonly Fact[], changes: Partial<Parameters<typeof checkHistory>[0]> = {}) =>
  checkHistory({
    entries: facts.map((fact) => ({ requestId: 'r1', ...fact }) as AuditEntry),
    domain: DOMAIN,
    isWhole: true,
    ...changes,
  })

/** The history with some of its entries replaced; null: left out. */
const changed = (change: (fact: Fact, place: number) => Fact | null) =>
  FACTS.flatMap((fact, place) => change(fact, place) ?? [])

const looks = (change: (quotes: readonly SeenQuote[]) => readonly SeenQuote[], more: object = {}) =>
  changed((fact, place) =>
    place === 5 && fact.kind === 'ranked' ? { ...fact, quotes: change(fact.quotes), ...more } : fact,
  )

test('a true history has no problem, and names its winner', () => {
  expect(check(FACTS)).toEqual({
    problems: [],
    winner: { makerId: 'bob', quoteId: 'q-bob' },
    unentered: 0,
    unexplained: 0,
    isInterrupted: false,
  })
})

test.each<[what: string, facts: readonly Fact[], problem: RegExp]>([
  ['a worse quote first', looks(([a, b, c]) => [b, a, c] as SeenQuote[]), /not in the order of their ranks/],
  ['the same quote twice', looks(([a, b, c]) => [a, b, c, c] as SeenQuote[]), /not in the order of their ranks/],
  ['a choice that is not the best', looks((quotes) => quotes, { chosen: 'q-bob' }), /did not turn to the quote/],
  ['no choice', looks((quotes) => quotes, { chosen: null }), /did not turn to the quote/],
  [
    'a live quote that is not ranked',
    looks(([, b, c]) => [b, c] as SeenQuote[], { chosen: 'q-bob' }),
    /q-ada was left out/,
  ],
  [
    'a price that was never quoted',
    looks(([a, b, c]) => [{ ...(a as SeenQuote), price: usd6(99_999n) }, b, c] as SeenQuote[]),
    /terms that it never had/,
  ],
  [
    'terms of another wallet',
    looks(([a, b, c]) => [{ ...(a as SeenQuote), maker: walletOf('eve'), pricedAt: AT + 9_000 }, b, c] as SeenQuote[]),
    /terms that it never had/,
  ],
  [
    'terms that a newer quote had replaced',
    looks(([a, b, c]) => [{ ...(a as SeenQuote), pricedAt: AT + 99 }, b, c] as SeenQuote[]),
    /terms that it never had/,
  ],
  [
    'a maker put aside without a reason',
    looks(([a, b, c]) => [a, { ...(b as SeenQuote), isConsidered: true }, c] as SeenQuote[]).filter(
      ({ kind, at }) => !(kind === 'confirmed' || (kind === 'ranked' && at > AT + 20_000)),
    ),
    /bob was left out of the commit without a reason/,
  ],
  [
    'an ask that no look led to',
    changed((fact, place) => (place === 8 ? null : fact)),
    /not of the quote that the commit/,
  ],
  [
    'another amount',
    changed((fact) => (fact.kind === 'asked' ? { ...fact, order: { ...fact.order, premiumAmount: usd6(1n) } } : fact)),
    /other amounts or parties/,
  ],
  [
    'another taker',
    changed((fact) => (fact.kind === 'asked' ? { ...fact, order: { ...fact.order, taker: walletOf('eve') } } : fact)),
    /other amounts or parties/,
  ],
  [
    'no time to sign',
    changed((fact, place) => (fact.kind === 'asked' && place === 6 ? { ...fact, deadline: fact.at } : fact)),
    /left its maker no time/,
  ],
  [
    'a signature after the deadline',
    changed((fact) => (fact.kind === 'confirmed' ? { ...fact, at: AT + 32_001 } : fact)),
    /after its deadline/,
  ],
  ['a signature without an ask', changed((fact, place) => (place === 9 ? null : fact)), /never asked/],
  [
    'another order hash',
    changed((fact) => (fact.kind === 'confirmed' ? { ...fact, orderHash: `0x${'12'.repeat(32)}` } : fact)),
    /hash of the signed order/,
  ],
  [
    'two signatures',
    [
      ...FACTS,
      { at: AT + 22_000, kind: 'confirmed', makerId: 'cyd', quoteId: 'q-cyd', executionId: 'e2', waitedMs: 1 },
    ],
    /More than one maker/,
  ],
  [
    'a trade that ended as none',
    changed((fact) => (fact.kind === 'closed' ? { ...fact, status: 'expired' } : fact)),
    /ended without one/,
  ],
  [
    'no trade that ended as one',
    changed((fact) => (fact.kind === 'confirmed' ? null : fact)),
    /without a trade ended with one/,
  ],
  [
    'another winner than the maker of the quote',
    changed((fact) => (fact.kind === 'confirmed' ? { ...fact, makerId: 'eve' } : fact)),
    /never asked/,
  ],
  [
    'an ask in the name of another maker',
    changed((fact, place) => (fact.kind === 'asked' && place === 9 ? { ...fact, makerId: 'eve' } : fact)),
    /not of the quote that the commit/,
  ],
  [
    'another order signed than asked for',
    changed((fact) => {
      if (fact.kind !== 'confirmed') return fact
      const order = { ...orderOf(BOB), optionAmount: contracts(1n) }
      const { chainId, settlementAddress } = DOMAIN
      return { ...fact, order, orderHash: orderDigest(order, orderDomain(chainId, settlementAddress)) }
    }),
    /other amounts or parties/,
  ],
  [
    'the order of an earlier commit, asked for once more though a better quote was chosen',
    FACTS.flatMap((fact, place): Fact[] => {
      if (place === 6) return []
      if (place === 8 && fact.kind === 'ranked')
        return [
          { at: AT + 10_020, kind: 'ranked', quotes: [seen(BOB)], hurriedLeft: 2, chosen: 'q-bob' },
          {
            at: AT + 10_030,
            kind: 'asked',
            makerId: 'bob',
            quoteId: 'q-bob',
            order: orderOf(BOB),
            deadline: AT + 19_000,
          },
          { ...fact, quotes: [seen(ADA), seen(BOB)], chosen: 'q-ada' },
        ]
      return [fact]
    }),
    /order at 2026-01-01T00:00:20.010Z is not of the quote that the commit/,
  ],
  ['no opening', FACTS.slice(1), /has no opening/],
  ['a look without a commit', changed((fact) => (fact.kind === 'commit_started' ? null : fact)), /is of no commit/],
])('finds %s', (_what, facts, problem) => {
  expect(check(facts).problems.join('\n')).toMatch(problem)
})

test('entries have the order of their times, whichever node was the first to enter its own', () => {
  expect(check(FACTS.toReversed())).toEqual(check(FACTS))
})

test('a maker may sign on another node before the one that asked has entered it, and not much before', () => {
  const askedAfter = (ms: number) =>
    check(changed((fact, place) => (place === 9 && fact.kind === 'asked' ? { ...fact, at: AT + 21_000 + ms } : fact)))
  expect(askedAfter(50)).toMatchObject({ problems: [], winner: { makerId: 'bob' } })
  expect(askedAfter(2_001).problems).toEqual([expect.stringMatching(/never asked/)])
  const ofOneMoment = changed((fact) => (fact.kind === 'asked' ? { ...fact, at: AT + 21_000 } : fact))
  const asked = ofOneMoment.filter(({ kind }) => kind === 'asked')
  const enteredLast = [...ofOneMoment.filter(({ kind }) => kind !== 'asked'), ...asked]
  expect(check(enteredLast).problems).not.toContain('The maker that signed was never asked.')
})

test('an opening may be entered again after a crash, and only as it was', () => {
  const opening = FACTS[0] as Extract<Fact, { kind: 'opened' }>
  expect(check([...FACTS, { ...opening, at: AT + 9, makersConnected: 0 }]).problems).toEqual([])
  for (const other of [{ seriesId: '78' }, { expiresAt: AT + 1 }, { terms: { ...CALL_BUY, wallet: walletOf('eve') } }])
    expect(check([...FACTS, { ...opening, ...other }]).problems).toEqual([expect.stringMatching(/two that differ/)])
})

test('a quote without an entry of its own is counted, since its node may have crashed', () => {
  const facts = changed((fact) => (fact.kind === 'quoted' && fact.quote.quoteId !== 'q-ada' ? null : fact))
  expect(check(facts)).toMatchObject({ problems: [], unentered: 2 })
})

test('a newer quote than those that were entered is counted, since its node may have crashed or had no room for it', () => {
  const renewed = (changes: Partial<SeenQuote>) =>
    check(looks(([a, b, c]) => [{ ...(a as SeenQuote), ...changes }, b, c] as SeenQuote[]).slice(0, 6), {
      domain: null,
    })
  expect(renewed({ pricedAt: AT + 9_000, price: usd6(99_999n) })).toMatchObject({ problems: [], unentered: 1 })
  expect(renewed({ expiresAt: AT + 200_000 })).toMatchObject({ problems: [], unentered: 1 })
  // Another node heard of a quote that came after the look.
  const newer = { ...ADA, pricedAt: AT + 10_500, price: usd6(120_000n) }
  const facts = looks(([a, b, c]) => [{ ...(a as SeenQuote), pricedAt: AT + 9_000 }, b, c] as SeenQuote[]).slice(0, 6)
  const entered: Fact = { at: AT + 10_500, kind: 'quoted', quote: newer, isRequote: true }
  expect(check([...facts, entered], { domain: null })).toMatchObject({ problems: [], unentered: 1 })
})

test('an order may be of a look that is lost', () => {
  const lost = FACTS.map((fact): Fact => {
    if (fact.kind === 'closed') return { ...fact, omitted: 1 }
    if (fact.kind === 'quoted') return fact
    return fact.kind === 'ranked' && fact.at > AT + 20_000
      ? { ...fact, quotes: fact.quotes.map((one) => ({ ...one, price: usd6(one.price - 1n) })) }
      : fact
  })
  expect(check(lost).problems).toEqual([])
})

test('a history before a restart is compared as far as it is there', () => {
  const restart: Fact = { at: AT + 20_500, kind: 'reopened' }
  // The crash took the look and the ask of Bob; a restart enters his order with the signature.
  const lost = changed((fact, place) => (place === 8 || place === 9 ? null : fact)).flatMap((fact): Fact[] =>
    fact.kind === 'confirmed' ? [restart, { ...fact, at: AT + 20_400, order: orderOf(BOB) }] : [fact],
  )
  expect(check(lost)).toMatchObject({ problems: [], isInterrupted: true, winner: { makerId: 'bob' } })
  expect(check(lost.filter(({ kind }) => kind !== 'reopened')).problems).not.toEqual([])
  const unstarted = changed((fact) => (fact.kind === 'commit_started' ? null : fact))
  expect(check([...unstarted, restart]).problems).toEqual([])
  expect(check([...unstarted, { ...restart, at: AT + 1 }]).problems).not.toEqual([])
  const setAside = looks(([a, b, c]) => [a, { ...(b as SeenQuote), isConsidered: true }, c] as SeenQuote[]).slice(0, 6)
  expect(check([...setAside, restart], { domain: null }).problems).toEqual([])
})

test('the hash of an order needs the domain, and the domain an order', () => {
  expect(check(FACTS, { domain: null }).problems).toEqual(['The signed order is not in the file with its domain.'])
  expect(check(FACTS.slice(0, 5)).problems).toEqual(['The file has the domain of orders, and no order.'])
})

test('a firm quote is taken without an ask, by its own order', () => {
  const firm = FACTS.slice(0, 6).map((fact) =>
    fact.kind === 'ranked' ? { ...fact, quotes: fact.quotes.map((one) => ({ ...one, isFirm: true as const })) } : fact,
  )
  const taken = (order: ReturnType<typeof orderOf>): Fact[] => [
    ...firm,
    {
      at: AT + 10_020,
      kind: 'confirmed',
      makerId: 'ada',
      quoteId: 'q-ada',
      executionId: 'e1',
      waitedMs: 0,
      order,
      orderHash: orderDigest(order, orderDomain(DOMAIN.chainId, DOMAIN.settlementAddress)),
    },
  ]
  expect(check(taken(orderOf(ADA))).problems).toEqual([])
  expect(check(taken({ ...orderOf(ADA), optionAmount: contracts(1n) })).problems).toHaveLength(1)
})

test('a quote that is gone, refused with its maker, or lost in a restart need not be ranked', () => {
  const gone: Fact[] = [
    { at: AT + 5_000, kind: 'quote_withdrawn', makerId: 'ada', quoteId: 'q-ada' },
    { at: AT + 5_000, kind: 'quote_refused', makerId: 'ada', code: 'maker_insufficient_balance', detail: '' },
    { at: AT + 5_000, kind: 'reopened' },
  ]
  for (const one of gone) {
    const facts = looks(([, b, c]) => [b, c] as SeenQuote[], { chosen: 'q-bob' }).slice(0, 6)
    const problems = check([...facts.slice(0, 2), one, ...facts.slice(2)], { domain: null }).problems
    expect(problems, one.kind).toEqual([])
  }
})

test('a quote that a commit missed need not be ranked, and is counted where no entry says why it had left', () => {
  const absent: Fact = { at: AT + 10_001, kind: 'quote_absent', makerId: 'ada', quoteId: 'q-ada' }
  const withdrawn: Fact = { at: AT + 9_000, kind: 'quote_withdrawn', makerId: 'ada', quoteId: 'q-ada' }
  const facts = looks(([, b, c]) => [b, c] as SeenQuote[], { chosen: 'q-bob' }).slice(0, 6)
  const checked = (more: readonly Fact[]) => check([...facts.slice(0, 5), ...more, ...facts.slice(5)], { domain: null })
  expect(checked([absent])).toMatchObject({ problems: [], unexplained: 1 })
  expect(checked([withdrawn, absent])).toMatchObject({ problems: [], unexplained: 0 })
  expect(
    checked([
      { ...absent, at: AT + 4_000 },
      { at: AT + 5_000, kind: 'quoted', quote: ADA, isRequote: true },
    ]),
  ).toMatchObject({
    problems: [expect.stringMatching(/q-ada was left out/)],
  })
})

test('does not look for quotes in a log that had no room for all entries', () => {
  const facts = changed((fact) =>
    fact.kind === 'closed' ? { ...fact, omitted: 5 } : fact.kind === 'quoted' ? null : fact,
  )
  expect(check(facts).problems).toEqual([])
})

test('does not ask for the look before an order, either, in a log that had no room for all entries', () => {
  const facts = changed((fact) =>
    fact.kind === 'closed' ? { ...fact, omitted: 5 } : fact.kind === 'ranked' ? null : fact,
  )
  expect(check(facts).problems).toEqual([])
})

test('a commit may find no quote at all', () => {
  const closed = { at: AT + 10_002, kind: 'closed', status: 'expired' } as const
  const look = { at: AT + 10_001, kind: 'ranked', quotes: [], hurriedLeft: 2, chosen: null } as const
  const facts = FACTS.filter(({ kind }) => kind === 'opened' || kind === 'commit_started')
  expect(check([...facts, look, closed], { domain: null }).problems).toEqual([])
})

test('an ask may be entered again after a crash, and only as it was', () => {
  const again = (fact: Fact) =>
    fact.kind === 'asked' && fact.makerId === 'bob' ? [fact, { ...fact, at: fact.at + 5 }] : fact
  expect(check(FACTS.flatMap(again)).problems).toEqual([])
})
