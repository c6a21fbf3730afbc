import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { protectionsAt } from '../../src/client/taker.ts'
import { contracts, usd6 } from '../../src/protocol/domain/units.ts'

const SHOWN = { price: usd6(120_000n), fillContracts: contracts(833n) }

describe('the protections of a commit', () => {
  test('are the shown price and half of what is shown, however much more the budget could buy', () => {
    expect(protectionsAt(SHOWN)).toEqual({
      limitPrice: 120_000n,
      minContracts: 416n,
      expectedQuoteId: null,
    })
  })

  test('ask for one option at least, and for no more than a commit may', () => {
    const least = (fill: bigint) => protectionsAt({ ...SHOWN, fillContracts: contracts(fill) }).minContracts
    expect([least(1n), least(3n), least(10n ** 15n)]).toEqual([1n, 1n, 1_000_000_000n])
  })

  test('are what the taker says, where it says something, and off where it says null', () => {
    const told = { limitPrice: null, minContracts: contracts(3n), expectedQuoteId: 'quote-1' }
    expect(protectionsAt(SHOWN, told)).toEqual(told)
    expect(protectionsAt(SHOWN, { minContracts: null })).toMatchObject({
      limitPrice: 120_000n,
      minContracts: null,
    })
  })

  test('never ask for more than is shown', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 15n }), (fill) => {
        const { minContracts } = protectionsAt({ ...SHOWN, fillContracts: contracts(fill) })
        expect(minContracts).toBeLessThanOrEqual(fill)
      }),
    )
  })
})
