import { describe, expect, test } from 'vitest'
import type { Quote } from '../../../src/protocol/domain/quote.ts'
import { isWithinStanding, standingTermsOf } from '../../../src/protocol/domain/standing-limit.ts'
import { contracts, usd6 } from '../../../src/protocol/domain/units.ts'
import { CALL_BUY, OTHER_TAKER, TAKER } from '../../support/test-relay.ts'

const standing = { limitPrice: usd6(120_000n), minContracts: contracts(100n), proof: '0x5afe' }
const { option } = CALL_BUY
const request = { wallet: TAKER, option, trade: { side: 'buy', budget: usd6(100_000_000n) }, standing } as const
const quote: Quote = {
  quoteId: 'quote-1',
  requestId: 'request-1',
  makerId: 'ada',
  maker: OTHER_TAKER,
  side: 'buy',
  price: usd6(120_000n),
  size: contracts(100n),
  pricedAt: 0,
  expiresAt: 1,
}

describe('the terms of a standing commit', () => {
  test('are the limit and the wallet of the request, whether makers see it or not', () => {
    const terms = { wallet: TAKER, limitPrice: 120_000n, minContracts: 100n, expectedQuoteId: null }
    expect(standingTermsOf(request)).toEqual(terms)
    expect(standingTermsOf({ wallet: null, blindWallet: TAKER, standing })).toEqual(terms)
  })

  test('are none without a limit or a wallet', () => {
    expect([standingTermsOf({ wallet: TAKER }), standingTermsOf({ wallet: null, standing })]).toEqual([null, null])
  })
})

describe('a quote is within a standing limit', () => {
  test.each([
    ['at the limit', {}, true],
    ['above the limit of a buy', { price: usd6(120_001n) }, false],
    ['if it fills enough', { size: contracts(99n) }, false],
    ['only of another wallet than its taker’s', { maker: TAKER }, false],
  ])('%s', (_, change, isWithin) => {
    expect(isWithinStanding(request, { ...quote, ...change })).toBe(isWithin)
  })

  test('at the limit of a sale or above', () => {
    const sale = { ...request, trade: { side: 'sell', size: contracts(100n) } } as const
    const bid = { ...quote, side: 'sell' } as const
    expect(isWithinStanding(sale, bid)).toBe(true)
    expect(isWithinStanding(sale, { ...bid, price: usd6(119_999n) })).toBe(false)
  })

  test('by the price of the side that the limit names, where both are asked for', () => {
    const both = { ...request, trade: { side: 'both', size: contracts(100n) } } as const
    const pair = { ...quote, price: usd6(130_000n), otherPrice: usd6(125_000n) }
    const on = (side: 'buy' | 'sell') => ({ ...both, standing: { ...standing, side } })
    expect([isWithinStanding(on('buy'), pair), isWithinStanding(on('sell'), pair)]).toEqual([false, true])
    expect(isWithinStanding(on('sell'), { ...pair, otherPrice: usd6(119_999n) })).toBe(false)
    expect(standingTermsOf(on('sell'))?.side).toBe('sell')
  })

  test('only when it is firm, where the request takes no other', () => {
    expect(isWithinStanding({ ...request, firmOnly: true }, quote)).toBe(false)
    expect(isWithinStanding({ ...request, firmOnly: true }, { ...quote, isFirm: true })).toBe(true)
  })

  test('never without one', () => {
    expect(isWithinStanding({ wallet: TAKER, option, trade: request.trade }, quote)).toBe(false)
  })
})
