import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  decodeQuoted,
  decodeSubmitQuote,
  encodeQuoted,
  encodeSubmitQuote,
} from '../../../src/protocol/wire/submit-quote.ts'
import { address, price, side, size } from '../../support/arbitraries.ts'
import { MAKER, overTheWire, quote, quoteBody } from './examples.ts'

const withQuote = (fields: object) => ({ ...quoteBody(), quote: { ...quoteBody().quote, ...fields } })
const priceOf = (fields: object) => decodeSubmitQuote(withQuote(fields)).submission.price

describe('a quote', () => {
  test('needs no more than the specification shows, and lives until the request closes', () => {
    expect(decodeSubmitQuote(quoteBody())).toEqual({
      requestId: 'request-1',
      submission: { maker: MAKER, side: 'buy', price: 120_000n, size: 1_000n, expiresInMs: null },
    })
  })

  test('gives back what was encoded, to the last micro-dollar', () => {
    const submission = fc.record({ maker: address, side, price, size, expiresInMs: fc.option(fc.integer({ min: 1 })) })
    fc.assert(
      fc.property(fc.record({ requestId: fc.string(), submission }), (input) => {
        expect(decodeSubmitQuote(overTheWire(encodeSubmitQuote(input)))).toEqual(input)
      }),
    )
  })

  test.each([
    ['price', '0.5'],
    ['price', true],
    ['price', [0.5]],
    ['price', null],
    ['price', {}],
    ['price', undefined],
    ['price', Number.NaN],
    ['price', Number.POSITIVE_INFINITY],
    ['size', '5'],
    ['size', 5.5],
    ['size', [5]],
    ['size', 0],
    ['size', -1],
    ['size', 2 ** 53],
    ['side', 'BUY'],
    ['maker', '0x00'],
    ['expires_in_ms', 0],
    ['expires_in_ms', 1.5],
    ['expires_in_ms', '1000'],
  ])('is refused, naming the field, when %s is %j', (field, value) => {
    expect(() => decodeSubmitQuote(withQuote({ [field]: value }))).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringMatching(`^quote\\.${field} must be`) }),
    )
  })

  test.each(['expiresInMs', 'EXPIRES_IN_MS', 'expires-in-ms'])('is refused with the misspelt lifetime %s', (name) => {
    expect(() => decodeSubmitQuote(withQuote({ [name]: 1_000 }))).toThrow(/did you mean expires_in_ms\?/)
  })

  test('may say null for its lifetime', () => {
    expect(decodeSubmitQuote(withQuote({ expires_in_ms: null })).submission.expiresInMs).toBeNull()
  })

  test('is rounded in favour of its maker: up when it sells, down when it buys', () => {
    expect(priceOf({ price: 0.42874999999999996 })).toBe(428_750n)
    expect(priceOf({ price: 0.1234561, side: 'buy' })).toBe(123_457n)
    expect(priceOf({ price: 0.1234569, side: 'sell' })).toBe(123_456n)
    expect(priceOf({ price: 1e-7, side: 'buy' })).toBe(1n)
    expect(priceOf({ price: 1e-7, side: 'sell' })).toBe(0n)
  })

  test('keeps invalid prices for the domain to refuse', () => {
    expect(priceOf({ price: -0.1 })).toBe(-100_000n)
    expect(priceOf({ price: 0 })).toBe(0n)
    expect(priceOf({ price: -0 })).toBe(0n)
    expect(priceOf({ price: 1 })).toBe(1_000_000n)
    expect(priceOf({ price: JSON.parse('0.99999999999999999') })).toBe(1_000_000n)
  })

  test('is not lifted off zero by the noise of a model', () => {
    expect(priceOf({ price: 5e-324 })).toBe(0n)
    expect(priceOf({ price: 1e-12 })).toBe(0n)
  })
})

test('the answer to a quote carries the stored price', () => {
  expect(encodeQuoted(quote)).toEqual({ success: true, quoteId: 'quote-1', price: 0.12 })
  expect(decodeQuoted(overTheWire(encodeQuoted(quote)))).toEqual({ quoteId: 'quote-1', price: 120_000n })
})
