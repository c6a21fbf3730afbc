import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareQuotes, type RankedQuote } from '../../src/domain/best-quote.ts'
import { type CommitTerms, commitKey, isWithin, nextCandidate } from '../../src/domain/commit.ts'
import type { Side, Trade } from '../../src/domain/request.ts'
import { type Contracts, contracts, type Usd6, usd6 } from '../../src/domain/units.ts'
import { book, side, walletOf } from '../support/arbitraries.ts'
import { askByTheBook } from '../support/oracles/ladder.ts'

const NOW = 2_000
const taker: CommitTerms = { wallet: walletOf(99), limitPrice: null, minContracts: null, expectedQuoteId: null }
const buy: Trade = { side: 'buy', budget: usd6(1_000_000n) }
const sell: Trade = { side: 'sell', size: contracts(10n) }

const quoteOf = (maker: number, change: Partial<RankedQuote> = {}): RankedQuote => ({
  quoteId: `quote-${maker}`,
  requestId: 'request-1',
  makerId: `maker-${maker}`,
  maker: walletOf(maker),
  side: 'buy',
  price: usd6(100_000n),
  size: contracts(10n),
  pricedAt: 1_000,
  expiresAt: 9_000,
  misses: 0,
  isDemoted: false,
  ...change,
})

type Rung = { trade?: Trade; quotes: RankedQuote[]; terms?: Partial<CommitTerms>; considered?: string[]; now?: number }

function step({ trade = buy, quotes, terms = {}, considered = [], now = NOW }: Rung): string {
  const ranked = [...quotes].sort(compareQuotes)
  const rung = nextCandidate({
    request: { trade },
    ranked,
    terms: { ...taker, ...terms },
    considered: new Set(considered),
    now,
  })
  return rung.kind === 'ask' ? rung.quote.quoteId : rung.reason
}

describe('the ladder', () => {
  const [best, next] = [quoteOf(1, { price: usd6(100_000n) }), quoteOf(2, { price: usd6(110_000n) })]
  const quotes = [best, next]

  test('asks the best quote first and then the next best', () => {
    expect(step({ quotes })).toBe('quote-1')
    expect(step({ quotes, considered: ['maker-1'] })).toBe('quote-2')
    expect(step({ quotes, considered: ['maker-1', 'maker-2'] })).toBe('no_acceptable_quote')
  })

  test('has no valid quote in an empty book', () => {
    expect(step({ quotes: [] })).toBe('no_valid_quotes')
  })

  test('skips a quote whose time has come, at the very millisecond', () => {
    expect(step({ quotes: [quoteOf(1, { expiresAt: NOW }), next] })).toBe('quote-2')
    expect(step({ quotes: [quoteOf(1, { expiresAt: NOW + 1 }), next] })).toBe('quote-1')
  })

  test("skips the taker's own quote", () => {
    expect(step({ quotes, terms: { wallet: walletOf(1) } })).toBe('quote-2')
    expect(step({ quotes: [best], terms: { wallet: walletOf(1) } })).toBe('no_valid_quotes')
  })

  test('never fills a buyer above the limit price, also in fallback', () => {
    expect(step({ quotes, terms: { limitPrice: usd6(100_000n) } })).toBe('quote-1')
    expect(step({ quotes, terms: { limitPrice: usd6(100_000n) }, considered: ['maker-1'] })).toBe('no_acceptable_quote')
    expect(step({ quotes, terms: { limitPrice: usd6(99_999n) } })).toBe('no_acceptable_quote')
  })

  test('never fills a seller below the limit price', () => {
    const bids = [
      quoteOf(1, { side: 'sell', price: usd6(90_000n) }),
      quoteOf(2, { side: 'sell', price: usd6(80_000n) }),
    ]
    expect(step({ trade: sell, quotes: bids, terms: { limitPrice: usd6(80_000n) }, considered: ['maker-1'] })).toBe(
      'quote-2',
    )
    expect(step({ trade: sell, quotes: bids, terms: { limitPrice: usd6(80_001n) }, considered: ['maker-1'] })).toBe(
      'no_acceptable_quote',
    )
  })

  test('passes over a quote that would fill too little', () => {
    const thin = [quoteOf(1, { size: contracts(4n) }), next]
    expect(step({ quotes: thin, terms: { minContracts: contracts(4n) } })).toBe('quote-1')
    expect(step({ quotes: thin, terms: { minContracts: contracts(5n) } })).toBe('quote-2')
  })

  test('stops when the expected quote is not the best any more', () => {
    expect(step({ quotes, terms: { expectedQuoteId: 'quote-1' } })).toBe('quote-1')
    expect(step({ quotes, terms: { expectedQuoteId: 'quote-2' } })).toBe('quote_changed')
  })

  test('does not fall back from an expected quote to another one', () => {
    expect(step({ quotes, terms: { expectedQuoteId: 'quote-1' }, considered: ['maker-1'] })).toBe('no_acceptable_quote')
  })

  const anyRung = side.chain((takerSide: Side) =>
    fc.record({
      trade: fc.constant(takerSide === 'buy' ? buy : sell),
      quotes: book(takerSide),
      terms: fc.record({
        wallet: fc.constantFrom(walletOf(0), walletOf(99)),
        limitPrice: fc.option(fc.bigInt({ min: 99_999n, max: 100_003n }) as fc.Arbitrary<Usd6>),
        minContracts: fc.option(fc.bigInt({ min: 1n, max: 11n }) as fc.Arbitrary<Contracts>),
        expectedQuoteId: fc.option(fc.integer({ min: 0, max: 9 }).map((maker) => `quote-${maker}`)),
      }),
      considered: fc.uniqueArray(fc.integer({ min: 0, max: 9 }).map((maker) => `maker-${maker}`)),
    }),
  )

  test('takes the step of the rulings read aloud, in every book and at every rung', () => {
    fc.assert(
      fc.property(anyRung, (rung) => {
        const expected = askByTheBook({ ...rung, considered: new Set(rung.considered), now: NOW })
        expect(step(rung)).toBe(typeof expected === 'string' ? expected : expected.quoteId)
      }),
      { numRuns: 3_000 },
    )
  })

  test('asks each maker at most once until nobody is left', () => {
    fc.assert(
      fc.property(anyRung, (rung) => {
        const considered: string[] = []
        for (
          let answer = step({ ...rung, considered });
          answer.startsWith('quote-');
          answer = step({ ...rung, considered })
        ) {
          const maker = answer.replace('quote', 'maker')
          expect(considered).not.toContain(maker)
          considered.push(maker)
        }
      }),
    )
  })
})

describe('the key of a commit', () => {
  const amount = fc.option(fc.bigInt({ min: 0n, max: 3n }))
  const anyTerms = fc.record({
    wallet: fc.constantFrom(walletOf(1), walletOf(2)),
    limitPrice: amount as fc.Arbitrary<Usd6 | null>,
    minContracts: amount as fc.Arbitrary<Contracts | null>,
    expectedQuoteId: fc.option(fc.constantFrom('1', '2', '|', '1|')),
  })

  test('is the same exactly for the same terms', () => {
    fc.assert(
      fc.property(anyTerms, anyTerms, (a, b) => {
        const keys = ['wallet', 'limitPrice', 'minContracts', 'expectedQuoteId'] as const
        expect(commitKey(a) === commitKey(b)).toBe(keys.every((key) => a[key] === b[key]))
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('a trade', () => {
  const trade = { quoteId: 'quote-1', price: usd6(100_000n), contracts: contracts(10n) }
  const none = { limitPrice: null, minContracts: null, expectedQuoteId: null }

  test('keeps within protections at their very ends', () => {
    const protections = { limitPrice: usd6(100_000n), minContracts: contracts(10n), expectedQuoteId: 'quote-1' }
    for (const takerSide of ['buy', 'sell'] as const) {
      expect(isWithin(takerSide, trade, none)).toBe(true)
      expect(isWithin(takerSide, trade, protections)).toBe(true)
    }
  })

  test('is outside of each of them by the least step', () => {
    expect(isWithin('buy', trade, { ...none, limitPrice: usd6(99_999n) })).toBe(false)
    expect(isWithin('sell', trade, { ...none, limitPrice: usd6(100_001n) })).toBe(false)
    expect(isWithin('buy', trade, { ...none, minContracts: contracts(11n) })).toBe(false)
    expect(isWithin('buy', trade, { ...none, expectedQuoteId: 'quote-2' })).toBe(false)
  })
})
