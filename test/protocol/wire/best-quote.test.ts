import { describe, expect, test } from 'vitest'
import {
  decodeBestQuoteEvent,
  decodePoll,
  encodeBestQuoteEvent,
  encodePoll,
} from '../../../src/protocol/wire/best-quote.ts'
import { overTheWire, quote, request } from './examples.ts'

const top = {
  request,
  status: 'open',
  confirming: false,
  best: quote,
  bestForSize: null,
  quoteCount: 3,
  bookSeq: 9,
  orderStanding: null,
} as const
const empty = { ...top, best: null, quoteCount: 0 }

describe('a poll', () => {
  test('shows the best quote with its wallet, what it fills and what remains of its life', () => {
    expect(encodePoll(top, quote.expiresAt - 1_500)).toEqual({
      success: true,
      bestQuote: {
        maker_id: 'maker-1',
        quote_id: 'quote-1',
        maker: quote.maker,
        side: 'buy',
        price: 0.12,
        size: 1_000,
        expires_in_ms: 1_500,
        fillContracts: 833,
      },
      bestForSize: null,
      quoteCount: 3,
      status: 'open',
      closed: false,
      confirming: false,
      bookSeq: 9,
    })
  })

  test('shows null when there is no valid quote, and closed once the request has ended', () => {
    expect(encodePoll({ ...empty, status: 'committed' }, 0)).toMatchObject({ bestQuote: null, closed: true })
  })

  test('and an event say that the relay made room for another request', () => {
    const displaced = { ...empty, status: 'cancelled', isDisplaced: true } as const
    expect(encodePoll(displaced, 0)).toMatchObject({ status: 'cancelled', closed: true, displaced: true })
    expect(decodePoll(overTheWire(encodePoll(displaced, 0)))).toMatchObject({ isDisplaced: true })
    expect(decodeBestQuoteEvent(overTheWire(encodeBestQuoteEvent(displaced)))).toMatchObject({ isDisplaced: true })
    expect(decodeBestQuoteEvent(overTheWire(encodeBestQuoteEvent(empty)))).not.toHaveProperty('isDisplaced')
  })

  test('gives its taker everything back', () => {
    expect(decodePoll(overTheWire(encodePoll(top, quote.expiresAt - 1_500)))).toEqual({
      bestQuote: {
        makerId: 'maker-1',
        quoteId: 'quote-1',
        maker: quote.maker,
        side: 'buy',
        price: 120_000n,
        size: 1_000n,
        fillContracts: 833n,
        expiresInMs: 1_500,
      },
      bestForSize: null,
      quoteCount: 3,
      status: 'open',
      bookSeq: 9,
      confirming: false,
      orderStanding: null,
    })
    const filled = { state: 'filled', transactionHash: `0x${'ab'.repeat(32)}`, blockNumber: 7 } as const
    for (const orderStanding of [filled, { state: 'open' }, { state: 'expired' }] as const)
      expect(decodePoll(overTheWire(encodePoll({ ...top, orderStanding }, 0))).orderStanding).toEqual(orderStanding)
    const deeper = decodePoll(overTheWire(encodePoll({ ...top, bestForSize: quote }, 0)))
    expect(deeper.bestForSize).toEqual(deeper.bestQuote)
    const { bestForSize: _, ...older } = encodePoll(top, 0)
    expect(decodePoll(overTheWire(older)).bestForSize).toBeNull()
    expect(decodePoll(overTheWire(encodePoll(empty, 0))).bestQuote).toBeNull()
  })
})

describe('a best_quote event', () => {
  test("shows the specification's subset: no wallet and no lifetime", () => {
    expect(encodeBestQuoteEvent(top)).toEqual({
      bestQuote: {
        maker_id: 'maker-1',
        quote_id: 'quote-1',
        side: 'buy',
        price: 0.12,
        size: 1_000,
        fillContracts: 833,
      },
      quoteCount: 3,
      status: 'open',
      bookSeq: 9,
    })
  })

  test('gives its taker everything back', () => {
    expect(decodeBestQuoteEvent(overTheWire(encodeBestQuoteEvent(top)))).toMatchObject({
      bestQuote: { quoteId: 'quote-1', price: 120_000n, maker: null, expiresInMs: null },
      bookSeq: 9,
      confirming: null,
    })
    expect(decodeBestQuoteEvent(overTheWire(encodeBestQuoteEvent(empty))).bestQuote).toBeNull()
  })
})
