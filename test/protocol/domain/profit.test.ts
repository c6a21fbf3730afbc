import { describe, expect, it } from 'vitest'
import { profitAt, profitsOf } from '../../../src/protocol/domain/profit.ts'
import { contracts, type StrikeBps, usd6 } from '../../../src/protocol/domain/units.ts'

const CALL = { optionType: 'call', strikeBps: 4_500 as StrikeBps } as const
const bought = profitsOf(CALL, { side: 'buy', price: usd6(100_000n), amount: contracts(2_500n) })
const written = profitsOf(CALL, { side: 'sell', price: usd6(100_000n), amount: contracts(2_500n) })

describe('the profit of a trade', () => {
  it('is what the options pay less the premium, at each of 101 prices; its writer makes what its holder loses', () => {
    expect(bought).toHaveLength(101)
    expect(bought[45]).toEqual({ price: 45, profit: -250_000_000n })
    expect(bought[55]?.profit).toBe(0n)
    expect(bought[100]?.profit).toBe(1_125_000_000n)
    expect(written.map(({ profit }) => -profit)).toEqual(bought.map(({ profit }) => profit))
  })

  it('counts a price between two cents to its last digit, and agrees with the points at each cent', () => {
    const trade = { side: 'buy', price: usd6(100_000n), amount: contracts(2_500n) } as const
    expect(profitAt(CALL, { ...trade, yesPrice: usd6(554_900n) })).toBe(2_500n * 4_900n)
    for (const { price, profit } of bought)
      expect(profitAt(CALL, { ...trade, yesPrice: usd6(BigInt(price) * 10_000n) })).toBe(profit)
    expect(profitAt(CALL, { ...trade, side: 'sell', yesPrice: usd6(554_900n) })).toBe(-2_500n * 4_900n)
  })
})
