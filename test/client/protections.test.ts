import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { protectionsAt } from '../../src/client/protections.ts'
import { contracts, usd6 } from '../../src/domain/units.ts'
import * as arbitrary from '../support/arbitraries.ts'
import { BUY, SELL } from './trade-fixture.ts'

const SHOWN = usd6(120_000n)

describe('the protections of a commit', () => {
  test('are the shown price and half of what the budget buys there', () => {
    expect(protectionsAt({ trade: BUY }, SHOWN)).toEqual({
      limitPrice: 120_000n,
      minContracts: 416n,
      expectedQuoteId: null,
    })
  })

  test('are the shown price and half of the options that are written', () => {
    expect(protectionsAt({ trade: SELL }, SHOWN)).toMatchObject({ limitPrice: 120_000n, minContracts: 200n })
  })

  test('ask for one option at least', () => {
    const trade = { side: 'buy', budget: usd6(130_000n) } as const
    expect(protectionsAt({ trade }, SHOWN)).toMatchObject({ minContracts: 1n })
  })

  test('are what the taker says, where it says something, and off where it says null', () => {
    const told = { limitPrice: null, minContracts: contracts(3n), expectedQuoteId: 'quote-1' }
    expect(protectionsAt({ trade: BUY }, SHOWN, told)).toEqual(told)
    expect(protectionsAt({ trade: BUY }, SHOWN, { minContracts: null })).toMatchObject({
      limitPrice: 120_000n,
      minContracts: null,
    })
  })

  test('never ask for more than the budget buys', () => {
    fc.assert(
      fc.property(arbitrary.budget, arbitrary.price, (budget, price) => {
        const { minContracts } = protectionsAt({ trade: { side: 'buy', budget } }, price)
        if (budget >= price) expect((minContracts ?? 0n) * price).toBeLessThanOrEqual(budget)
      }),
    )
  })
})
