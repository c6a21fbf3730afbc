import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareQuotes, lossFeedback, type RankedQuote } from '../../../src/protocol/domain/best-quote.ts'
import { contracts, usd6 } from '../../../src/protocol/domain/units.ts'
import { book, side, walletOf } from '../../support/arbitraries.ts'
import { rankByElimination } from '../../support/oracles/best-quote.ts'

const quote = (change: Partial<RankedQuote>): RankedQuote => ({
  quoteId: 'b',
  requestId: 'request-1',
  makerId: 'maker-1',
  maker: walletOf(1),
  side: 'buy',
  price: usd6(120_000n),
  size: contracts(10n),
  pricedAt: 1_000,
  expiresAt: 9_000,
  misses: 0,
  isDemoted: false,
  ...change,
})

describe('the order of quotes', () => {
  test.each<[string, Partial<RankedQuote>, Partial<RankedQuote>]>([
    ['whoever is not demoted before fewer misses', { misses: 3 }, { isDemoted: true }],
    ['fewer misses before a better price', { misses: 0, price: usd6(500_000n) }, { misses: 1, price: usd6(1n) }],
    ['on a buy the lower price before the earlier one', { price: usd6(1n), pricedAt: 2_000 }, { price: usd6(2n) }],
    ['a better price before a firm one', { price: usd6(1n) }, { price: usd6(2n), isFirm: true }],
    ['a firm quote before an earlier one at its price', { isFirm: true, pricedAt: 2_000 }, { pricedAt: 1_000 }],
    ['the earlier price before the smaller id', { pricedAt: 999, quoteId: 'c' }, { quoteId: 'a' }],
    ['of equal quotes the smaller id', { quoteId: 'a' }, { quoteId: 'b' }],
  ])('puts %s', (_, first, second) => {
    expect(compareQuotes(quote(first), quote(second))).toBeLessThan(0)
    expect(compareQuotes(quote(second), quote(first))).toBeGreaterThan(0)
  })

  test('puts on a sell the higher price first', () => {
    const [high, low] = [quote({ side: 'sell', price: usd6(2n) }), quote({ side: 'sell', price: usd6(1n) })]
    expect(compareQuotes(high, low)).toBeLessThan(0)
    expect(compareQuotes(low, high)).toBeGreaterThan(0)
  })

  test('looks at nothing else: a larger size or a longer life wins nothing', () => {
    expect(compareQuotes(quote({ size: contracts(1n), expiresAt: 1 }), quote({}))).toBe(0)
  })

  const anyBook = side.chain(book)
  const sign = (a: RankedQuote, b: RankedQuote) => Math.sign(compareQuotes(a, b))

  test('is total: reflexive, antisymmetric and transitive', () => {
    fc.assert(
      fc.property(anyBook, (quotes) => {
        for (const a of quotes) {
          expect(sign(a, a)).toBe(0)
          for (const b of quotes) {
            expect(sign(a, b) + sign(b, a)).toBe(0)
            expect(sign(a, b) === 0).toBe(a === b)
            for (const c of quotes) if (sign(a, b) < 0 && sign(b, c) < 0) expect(sign(a, c)).toBe(-1)
          }
        }
      }),
    )
  })

  test('ranks every book as taking out the best one again and again does', () => {
    fc.assert(
      fc.property(anyBook, (quotes) => {
        expect([...quotes].sort(compareQuotes)).toEqual(rankByElimination(quotes))
      }),
      { numRuns: 500 },
    )
  })
})

describe('messages to losers', () => {
  const [taker, now] = [walletOf(9), 5_000]
  const winner = quote({ quoteId: 'won', price: usd6(100n) })
  const others = [
    quote({ quoteId: 'near', price: usd6(110n) }),
    quote({ quoteId: 'far', price: usd6(130n) }),
    quote({ quoteId: 'missed', price: usd6(90n), misses: 1 }),
    quote({ quoteId: 'lapsed', price: usd6(95n), expiresAt: now }),
    quote({ quoteId: 'own', price: usd6(96n), maker: taker }),
  ]
  const ranks = (ranked: readonly RankedQuote[]) =>
    [...lossFeedback(ranked, { winner, taker, now, level: 'rank' })].map(([quoteId, { rank }]) => [quoteId, rank])

  test('is their rank among the quotes that the taker could take, in the one order', () => {
    const standing = [
      ['won', 1],
      ['near', 2],
      ['far', 3],
      ['missed', 4],
    ]
    expect(ranks([...others, winner])).toEqual(standing)
  })

  test('counts the winner although it has lapsed while its maker signed', () => {
    expect(ranks(others).at(0)).toEqual(['won', 1])
    expect(ranks([...others, { ...winner, expiresAt: now }]).at(0)).toEqual(['won', 1])
  })

  test('is a rank above the winner for a better quote that came too late', () => {
    expect(ranks([winner, quote({ quoteId: 'late', price: usd6(50n) })]).map(([quoteId]) => quoteId)).toEqual([
      'late',
      'won',
    ])
  })

  test('have the winning price only where the operator shares prices', () => {
    const told = (level: 'rank' | 'price') => lossFeedback(others, { winner, taker, now, level }).get('near')
    expect(told('rank')).toEqual({ rank: 2, quoteCount: 4, winningPrice: null })
    expect(told('price')).toEqual({ rank: 2, quoteCount: 4, winningPrice: 100n })
  })
})
