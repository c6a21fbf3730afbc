import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toUsd6 } from '../../../src/protocol/domain/decimal.ts'
import { fillContracts, fillsHalf, premiumOf } from '../../../src/protocol/domain/quote.ts'
import { contracts, type Usd6, usd6 } from '../../../src/protocol/domain/units.ts'
import { budget, price, size, trade } from '../../support/arbitraries.ts'
import { fillByFractions } from '../../support/oracles/fill.ts'
import { divide, floor, rationalOf } from '../../support/oracles/rational.ts'

const micro = (dollars: number) => toUsd6(dollars, 'down') as Usd6
const PLENTY = contracts(1_000_000_000n)

test('floor(0.3 / 0.1) is 3 (decision U2)', () => {
  expect(fillContracts({ side: 'buy', budget: micro(0.3) }, { price: micro(0.1), size: PLENTY })).toBe(3n)
})

test('100 dollars at 0.12 buy 833 options for 99.96 (decision U1)', () => {
  const filled = fillContracts({ side: 'buy', budget: micro(100) }, { price: micro(0.12), size: PLENTY })
  expect(filled).toBe(833n)
  expect(premiumOf(filled, micro(0.12))).toBe(99_960_000n)
})

test('a fill equals the one worked out in fractions', () => {
  fc.assert(
    fc.property(trade, price, size, (wanted, atPrice, offered) => {
      const quote = { price: atPrice, size: offered }
      expect(fillContracts(wanted, quote)).toBe(fillByFractions(wanted, quote))
    }),
    { numRuns: 1_000 },
  )
})

test('a fill of decimal amounts as a taker and a maker type them equals the one in fractions', () => {
  const cents = fc.integer({ min: 1, max: 100_000 }).map((n) => n / 100)
  const tick = fc.integer({ min: 1, max: 999 }).map((n) => n / 1_000)
  fc.assert(
    fc.property(cents, tick, (dollars, perOption) => {
      const filled = fillContracts({ side: 'buy', budget: micro(dollars) }, { price: micro(perOption), size: PLENTY })
      expect(filled).toBe(floor(divide(rationalOf(dollars), rationalOf(perOption))))
    }),
  )
})

test('on a buy the budget pays for the fill and not for one option more, unless the maker offers no more', () => {
  fc.assert(
    fc.property(budget, price, size, (taken, atPrice, offered) => {
      const filled = fillContracts({ side: 'buy', budget: taken }, { price: atPrice, size: offered })
      expect(premiumOf(filled, atPrice) <= taken).toBe(true)
      expect(filled === offered || premiumOf(contracts(filled + 1n), atPrice) > taken).toBe(true)
    }),
  )
})

test('on a sell the smaller of the two sizes is filled', () => {
  const quote = { price: usd6(1n), size: contracts(70n) }
  expect(fillContracts({ side: 'sell', size: contracts(100n) }, quote)).toBe(70n)
  expect(fillContracts({ side: 'sell', size: contracts(50n) }, quote)).toBe(50n)
})

test('a quote fills half where its size is at least half of what the budget buys, or of what is written', () => {
  const atTenCents = (options: bigint) => ({ price: micro(0.1), size: contracts(options) })
  expect(fillsHalf({ side: 'buy', budget: micro(10) }, atTenCents(50n))).toBe(true)
  expect(fillsHalf({ side: 'buy', budget: micro(10) }, atTenCents(49n))).toBe(false)
  expect(fillsHalf({ side: 'sell', size: contracts(7n) }, atTenCents(4n))).toBe(true)
  expect(fillsHalf({ side: 'sell', size: contracts(7n) }, atTenCents(3n))).toBe(false)
})
