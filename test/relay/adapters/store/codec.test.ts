import { describe, expect, it } from 'vitest'
import { contracts, usd6 } from '../../../../src/protocol/domain/units.ts'
import {
  decodeFeedback,
  decodeOrder,
  decodeQuote,
  decodeTrade,
  encode,
} from '../../../../src/relay/adapters/store/codec.ts'

type Row = Parameters<typeof decodeQuote>[0]

describe('rows of a store', () => {
  it('carry amounts as text at any depth, and everything else as it is', () => {
    const row = { price: 120_000n, legs: [{ size: 3n, name: 'a' }], none: null, at: 7 }
    expect(encode(row)).toEqual({ price: '120000', legs: [{ size: '3', name: 'a' }], none: null, at: 7 })
    expect(row.price).toBe(120_000n)
  })

  it('give their amounts back, with and without the optional one', () => {
    const trade = { side: 'buy', budget: usd6(5_000_000n) } as const
    expect(decodeTrade(encode(trade))).toEqual(trade)
    expect(decodeTrade(encode({ ...trade, most: contracts(4n) }))).toEqual({ ...trade, most: 4n })
    expect(decodeFeedback({ winningPrice: null } as Parameters<typeof decodeFeedback>[0]).winningPrice).toBeNull()
  })

  it.each(['price', 'size'])('without %s are refused: a quote without it is not a quote', (name) => {
    const { [name]: _, ...rest } = { price: '120000', size: '5' } as Record<string, string>
    expect(() => decodeQuote(rest as unknown as Row)).toThrow()
  })

  it('refuse an order without its premium, and an amount that is not a number', () => {
    expect(() => decodeOrder({ optionAmount: '5' } as never)).toThrow()
    expect(() => decodeQuote({ price: 'much', size: '5' } as unknown as Row)).toThrow()
  })
})
