import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maxPayoff } from '../../../src/protocol/domain/option.ts'
import {
  checkQuote,
  fillContracts,
  isFirmEnough,
  isSameOffer,
  type Quote,
  quoteExpiry,
} from '../../../src/protocol/domain/quote.ts'
import type { OneSidedTrade, RequestedOption } from '../../../src/protocol/domain/request.ts'
import { contracts, type StrikeBps, type Usd6, usd6 } from '../../../src/protocol/domain/units.ts'
import { optionType, price, side, size, strikeBps, trade, walletOf } from '../../support/arbitraries.ts'
import { fillByFractions } from '../../support/oracles/fill.ts'
import { exactMicro, maxPayoffDollars } from '../../support/oracles/option-value.ts'

const call: RequestedOption = { optionType: 'call', strikeBps: 4_500 as StrikeBps, expiryMs: 1_800_000_000_000 }
const buy: OneSidedTrade = { side: 'buy', budget: usd6(100_000_000n) }
const sell: OneSidedTrade = { side: 'sell', size: contracts(100n) }
const good = { price: usd6(120_000n), size: contracts(1_000n) }

describe('a quote', () => {
  test('on the requested side, large enough and within the max payoff is good', () => {
    expect(checkQuote({ trade: buy, option: call }, { ...good, side: 'buy' })).toEqual([])
    expect(checkQuote({ trade: sell, option: call }, { ...good, side: 'sell' })).toEqual([])
  })

  test('must be of the requested side', () => {
    expect(checkQuote({ trade: buy, option: call }, { ...good, side: 'sell' })).toEqual(['side_mismatch'])
    expect(checkQuote({ trade: sell, option: call }, { ...good, side: 'buy' })).toEqual(['side_mismatch'])
  })

  test.each([
    [100n, 50n, true],
    [100n, 49n, false],
    [101n, 51n, true],
    [101n, 50n, false],
    [1n, 1n, true],
  ])('for a sell of %d must take half: %d', (wanted, offered, isEnough) => {
    const request = { trade: { side: 'sell', size: contracts(wanted) } as const, option: call }
    const quote = { side: 'sell', price: good.price, size: contracts(offered) } as const
    expect(checkQuote(request, quote)).toEqual(isEnough ? [] : ['size_too_small'])
  })

  test('on a buy may offer a single option, but not none', () => {
    const request = { trade: buy, option: call }
    expect(checkQuote(request, { side: 'buy', price: good.price, size: contracts(1n) })).toEqual([])
    expect(checkQuote(request, { side: 'buy', price: good.price, size: contracts(0n) })).toEqual([
      'size_too_small',
      'fill_below_one',
    ])
  })

  test('must have a price between 0 and 1, ends excluded', () => {
    const refusalsAt = (micro: bigint) =>
      checkQuote({ trade: sell, option: call }, { side: 'sell', size: good.size, price: usd6(micro) })
    expect(refusalsAt(0n)).toEqual(['price_out_of_range'])
    expect(refusalsAt(-1n)).toEqual(['price_out_of_range'])
    expect(refusalsAt(1n)).toEqual([])
    expect(refusalsAt(1_000_000n)).toEqual(['price_out_of_range', 'price_above_max_payoff'])
  })

  test.each(['call', 'put'] as const)('may cost the max payoff of a %s and no tick more', (type) => {
    for (const strike of [1, 3_333, 5_000, 9_999] as StrikeBps[]) {
      const request = { trade: sell, option: { ...call, optionType: type, strikeBps: strike } }
      const most = maxPayoff(request.option)
      const refusalsAt = (micro: bigint) => checkQuote(request, { side: 'sell', size: good.size, price: usd6(micro) })
      expect(refusalsAt(most)).toEqual([])
      expect(refusalsAt(most + 1n)).toEqual(['price_above_max_payoff'])
    }
  })

  test('must fill one whole option of the budget', () => {
    const request = { trade: { side: 'buy', budget: usd6(120_000n) } as const, option: call }
    expect(checkQuote(request, { side: 'buy', price: usd6(120_000n), size: good.size })).toEqual([])
    expect(checkQuote(request, { side: 'buy', price: usd6(120_001n), size: good.size })).toEqual(['fill_below_one'])
  })

  test('that only closes fills what its taker has written, and less where the budget pays for less', () => {
    const closing = { side: 'buy', budget: usd6(1_200_000n), reduceOnly: true } as const
    const filled = (most: bigint) => fillContracts({ ...closing, most: contracts(most) }, good)
    expect([filled(4n), filled(10n), filled(11n)]).toEqual([4n, 10n, 10n])
  })

  test('with every fault receives every fault, in their order (decision Q4)', () => {
    expect(
      checkQuote({ trade: sell, option: call }, { side: 'buy', price: usd6(1_000_000n), size: contracts(0n) }),
    ).toEqual(['side_mismatch', 'size_too_small', 'price_out_of_range', 'price_above_max_payoff'])
  })
})

test('a quote is good exactly when the table of the specification says so', () => {
  const anyPrice = fc.oneof(price, fc.bigInt({ min: -1n, max: 1_000_002n })) as fc.Arbitrary<Usd6>
  fc.assert(
    fc.property(
      trade,
      optionType,
      strikeBps,
      side,
      anyPrice,
      size,
      (wanted, type, strike, ofSide, atPrice, offered) => {
        const isGood =
          ofSide === wanted.side &&
          (wanted.side === 'buy' || Number(offered) >= 0.5 * Number(wanted.size)) &&
          atPrice > 0n &&
          atPrice < 1_000_000n &&
          atPrice <= exactMicro(maxPayoffDollars(type, strike)) &&
          fillByFractions(wanted, { price: atPrice, size: offered }) >= 1n
        const option = { ...call, optionType: type, strikeBps: strike }
        const refusals = checkQuote({ trade: wanted, option }, { side: ofSide, price: atPrice, size: offered })
        expect(refusals.length === 0).toBe(isGood)
      },
    ),
    { numRuns: 2_000 },
  )
})

test('a quote lives as long as it says, or until its request closes', () => {
  const at = (expiresInMs: number | null) => quoteExpiry({ now: 1_000, expiresInMs, requestExpiresAt: 5_000 })
  expect([at(null), at(1), at(3_999), at(4_000), at(4_001)]).toEqual([5_000, 1_001, 4_999, 5_000, 5_000])
})

describe('a later look at a quote', () => {
  const quote: Quote = {
    ...{ quoteId: 'q', requestId: 'r', makerId: 'm', maker: walletOf(1), side: 'buy' },
    ...{ price: usd6(1n), size: contracts(1n), pricedAt: 1, expiresAt: 2, firmTerms: { nonce: 3, validUntil: 4 } },
  }

  test('is the same offer whatever does not become part of its order', () => {
    expect(isSameOffer(quote, { ...quote, pricedAt: 9, isFirm: true })).toBe(true)
  })

  test.each<[string, Partial<Quote>]>([
    ['price', { price: usd6(2n) }],
    ['size', { size: contracts(2n) }],
    ['wallet', { maker: walletOf(2) }],
    ['end', { expiresAt: 3 }],
    ['nonce', { firmTerms: { nonce: 4, validUntil: 4 } }],
    ['last second of its order', { firmTerms: { nonce: 3, validUntil: 5 } }],
  ])('is another offer with another %s', (_, change) => {
    expect(isSameOffer(quote, { ...quote, ...change })).toBe(false)
    expect(isSameOffer({ ...quote, ...change }, quote)).toBe(false)
  })

  test('is another offer where one has no order to sign', () => {
    const { firmTerms: _, ...soft } = quote
    expect([isSameOffer(quote, soft), isSameOffer(soft, quote), isSameOffer(soft, soft)]).toEqual([false, false, true])
  })

  test('is firm enough unless only firm quotes are taken', () => {
    expect([isFirmEnough({}, {}), isFirmEnough({ firmOnly: false }, {})]).toEqual([true, true])
    expect([isFirmEnough({ firmOnly: true }, {}), isFirmEnough({ firmOnly: true }, { isFirm: true })]).toEqual([
      false,
      true,
    ])
  })
})
