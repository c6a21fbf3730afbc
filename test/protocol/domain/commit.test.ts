import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareQuotes, type RankedQuote } from '../../../src/protocol/domain/best-quote.ts'
import {
  assertLimit,
  type CommitTerms,
  commitKey,
  isWithin,
  nextCandidate,
} from '../../../src/protocol/domain/commit.ts'
import type { OneSidedTrade, Side } from '../../../src/protocol/domain/request.ts'
import { type Contracts, contracts, type StrikeBps, type Usd6, usd6 } from '../../../src/protocol/domain/units.ts'
import { book, side, walletOf } from '../../support/arbitraries.ts'
import { askByTheBook } from '../../support/oracles/ladder.ts'
import { CALL_BUY } from '../../support/test-relay.ts'

const NOW = 2_000
const taker: CommitTerms = { wallet: walletOf(99), limitPrice: null, minContracts: null, expectedQuoteId: null }
const buy: OneSidedTrade = { side: 'buy', budget: usd6(1_000_000n) }
const sell: OneSidedTrade = { side: 'sell', size: contracts(10n) }

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

type Case = {
  trade?: OneSidedTrade
  quotes: RankedQuote[]
  terms?: Partial<CommitTerms>
  considered?: string[]
  proven?: string[]
  hurriedLeft?: number
  now?: number
}

function step({
  trade = buy,
  quotes,
  terms = {},
  considered = [],
  proven = [],
  hurriedLeft = 0,
  now = NOW,
}: Case): string {
  const ranked = [...quotes].sort(compareQuotes)
  const next = nextCandidate({
    request: { trade },
    ranked,
    terms: { ...taker, ...terms },
    considered: new Set(considered),
    proven: new Set(proven),
    hurriedLeft,
    now,
  })
  if (next.kind === 'none') return next.reason
  return next.isHurried ? `${next.quote.quoteId} in a hurry` : next.quote.quoteId
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

  test('asks for firm quotes only where the taker says so', () => {
    const firm = { ...next, isFirm: true } as const
    expect(step({ quotes: [best, firm] })).toBe('quote-1')
    expect(step({ quotes: [best, firm], terms: { firmOnly: true } })).toBe('quote-2')
    expect(step({ quotes, terms: { firmOnly: true } })).toBe('no_acceptable_quote')
  })

  test('takes a firm quote of a maker without a record at once: nothing is waited for', () => {
    const firm = { ...best, isFirm: true } as const
    expect(step({ quotes: [best, next], proven: ['maker-2'], hurriedLeft: 1 })).toBe('quote-1 in a hurry')
    expect(step({ quotes: [firm, next], proven: ['maker-2'], hurriedLeft: 0 })).toBe('quote-1')
  })

  describe('makers without a record before one with a record', () => {
    const ghosts = [1, 2, 3].map((n) => quoteOf(n, { price: usd6(BigInt(n)) }))
    const book = [...ghosts, quoteOf(4)]
    const proven = ['maker-4']

    test('asks some of them in a hurry, then the one with a record, then the others as ever', () => {
      expect(step({ quotes: book, proven, hurriedLeft: 2 })).toBe('quote-1 in a hurry')
      expect(step({ quotes: book, proven, hurriedLeft: 1, considered: ['maker-1'] })).toBe('quote-2 in a hurry')
      expect(step({ quotes: book, proven, hurriedLeft: 0, considered: ['maker-1', 'maker-2'] })).toBe('quote-4')
      const considered = ['maker-1', 'maker-2', 'maker-4']
      expect(step({ quotes: book, proven, hurriedLeft: 0, considered })).toBe('quote-3')
    })

    test('hurry no one where the one with a record is demoted, is beyond the protections or was asked already', () => {
      const demoted = [...ghosts, quoteOf(4, { isDemoted: true })]
      expect(step({ quotes: demoted, proven, hurriedLeft: 0 })).toBe('quote-1')
      expect(step({ quotes: book, proven, hurriedLeft: 0, terms: { limitPrice: usd6(3n) } })).toBe('quote-1')
      expect(step({ quotes: book, proven, hurriedLeft: 0, considered: ['maker-4'] })).toBe('quote-1')
      expect(step({ quotes: book, hurriedLeft: 0 })).toBe('quote-1')
    })

    test('goes by the order of quotes once all have a record', () => {
      expect(step({ quotes: book, proven: ['maker-1', 'maker-4'], hurriedLeft: 0 })).toBe('quote-1')
    })
  })

  const anyCase = side.chain((takerSide: Side) =>
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
      proven: fc.uniqueArray(fc.integer({ min: 0, max: 9 }).map((maker) => `maker-${maker}`)),
      hurriedLeft: fc.nat(1),
    }),
  )

  test('takes the step of the plain rules read aloud, in every book and at every step', () => {
    fc.assert(
      fc.property(anyCase, (one) => {
        const sets = { considered: new Set(one.considered), proven: new Set(one.proven) }
        const expected = askByTheBook({ ...one, ...sets, now: NOW })
        const text = typeof expected === 'string' ? expected : expected.quote.quoteId
        expect(step(one)).toBe(typeof expected !== 'string' && expected.isHurried ? `${text} in a hurry` : text)
      }),
      { numRuns: 3_000 },
    )
  })

  test('asks each maker at most once until none is left', () => {
    fc.assert(
      fc.property(anyCase, (one) => {
        const considered: string[] = []
        for (
          let answer = step({ ...one, considered });
          answer.startsWith('quote-');
          answer = step({ ...one, considered })
        ) {
          const maker = answer.replace('quote', 'maker').replace(' in a hurry', '')
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
    firmOnly: fc.boolean(),
  })

  test('is the same exactly for the same terms', () => {
    fc.assert(
      fc.property(anyTerms, anyTerms, (a, b) => {
        const keys = ['wallet', 'limitPrice', 'minContracts', 'expectedQuoteId', 'firmOnly'] as const
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
    expect(isWithin('buy', trade, { ...none, firmOnly: true })).toBe(false)
    expect(isWithin('buy', { ...trade, isFirm: true }, { ...none, firmOnly: true })).toBe(true)
  })
})

describe('a limit above a dollar', () => {
  const limitOf = (dollars: number) => ({ limitPrice: usd6(BigInt(dollars * 1_000_000)) })
  const single = CALL_BUY.option
  const legs = [{ optionType: 'call' as const, strikeBps: 4_500 as StrikeBps, quantity: 2 }]
  const ofPackage = { legs, expiryMs: single.expiryMs }

  test('is refused for one option, which is never worth more', () => {
    expect(() => assertLimit(single, limitOf(2))).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        message: 'limitPrice must be a number of dollars 0..1, got 2',
      }),
    )
    expect(() => assertLimit(single, limitOf(1))).not.toThrow()
    expect(() => assertLimit(single, { limitPrice: null })).not.toThrow()
  })

  test('may be that of a package', () => {
    expect(() => assertLimit(ofPackage, limitOf(2))).not.toThrow()
  })
})
