import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPortfolio, type TradedOption } from '../../../src/agents/bots/portfolio.ts'
import { fairValue, greeks } from '../../../src/protocol/domain/pricing.ts'
import { contracts, type StrikeBps, usd6 } from '../../../src/protocol/domain/units.ts'

const NOW = 1_800_000_000_000
const DAY_MS = 86_400_000
const CALL: TradedOption = {
  seriesId: '1' as TradedOption['seriesId'],
  yesTokenId: '77',
  optionType: 'call',
  strikeBps: 5_000 as StrikeBps,
  expiryMs: NOW + 30 * DAY_MS,
}
const PUT: TradedOption = { ...CALL, seriesId: '2' as TradedOption['seriesId'], optionType: 'put' }

const sold = (count: bigint, premium: bigint) => ({
  makerSelling: true,
  optionAmount: contracts(count),
  premiumAmount: usd6(premium),
})
const bought = (count: bigint, premium: bigint) => ({ ...sold(count, premium), makerSelling: false })

/** Books whose price of every token can be moved. */
function portfolioAt(price: number) {
  const market = { price }
  return { market, portfolio: createPortfolio({ spot: async () => market.price, volatility: 1 }) }
}

const callAt = (price: number, days = 30) => fairValue(CALL, { spot: price, volatility: 1, years: days / 365 })

describe('the portfolio of a maker', () => {
  test('have what is held and owed, series by series', () => {
    const { portfolio } = portfolioAt(0.5)
    expect(portfolio.add(sold(100n, 10_000_000n), CALL)).toBe(-100)
    expect(portfolio.add(bought(30n, 2_000_000n), CALL)).toBe(-70)
    expect(portfolio.add(bought(5n, 1_000_000n), PUT)).toBe(5)
    expect([CALL, PUT].map(({ seriesId }) => portfolio.position(seriesId))).toEqual([-70, 5])
  })

  test('say what a sale made: the premium less what is owed, to the micro-dollar', async () => {
    const { portfolio } = portfolioAt(0.5)
    portfolio.add(sold(1_000n, 150_000_000n), CALL)
    const { statement } = await portfolio.mark(NOW)
    const worth = BigInt(Math.round(callAt(0.5) * 1e6)) * 1_000n
    expect(statement).toEqual({
      trades: 1,
      premium: 150_000_000n,
      options: -worth,
      hedge: 0n,
      total: 150_000_000n - worth,
    })
  })

  test('hedge options sold with as many YES tokens as they move like, and once only', async () => {
    const { portfolio } = portfolioAt(0.5)
    portfolio.add(sold(1_000n, 150_000_000n), CALL)
    const delta = greeks(CALL, { spot: 0.5, volatility: 1, years: 30 / 365 }).delta
    const { hedges } = await portfolio.mark(NOW)
    expect(hedges).toEqual([{ yesTokenId: '77', tokens: BigInt(Math.round(1_000 * delta)), price: 500_000n }])
    expect((await portfolio.mark(NOW)).hedges).toEqual([])
  })

  test('hedge a market as a whole: a call and a put sold together need next to nothing', async () => {
    const { portfolio } = portfolioAt(0.5)
    portfolio.add(sold(1_000n, 1n), CALL)
    portfolio.add(sold(1_000n, 1n), PUT)
    const { hedges } = await portfolio.mark(NOW)
    expect(hedges).toEqual([])
  })

  test('lose little where the price moves a little, because the hedge gains what the options lose', async () => {
    const { portfolio, market } = portfolioAt(0.5)
    portfolio.add(sold(10_000n, 0n), CALL)
    const before = (await portfolio.mark(NOW)).statement
    market.price = 0.505
    const after = (await portfolio.mark(NOW)).statement
    const lost = Number(before.options - after.options)
    expect(lost).toBeGreaterThan(20_000_000)
    expect(Math.abs(Number(after.total - before.total))).toBeLessThan(lost / 10)
  })

  test('value an expired option by the price of its expiry from then on, and take its hedge off', async () => {
    const prices = (atMs: number) => (atMs >= CALL.expiryMs + 1 ? 0.9 : 0.6)
    const portfolio = createPortfolio({ spot: async (_, atMs) => prices(atMs), volatility: 1 })
    portfolio.add(sold(10n, 0n), CALL)
    await portfolio.mark(NOW)
    const { statement, hedges } = await portfolio.mark(CALL.expiryMs + DAY_MS)
    expect(statement.options).toBe(-10n * 100_000n)
    expect(hedges).toMatchObject([{ price: 900_000n }])
    expect((await portfolio.mark(CALL.expiryMs + 2 * DAY_MS)).hedges).toEqual([])
  })

  test('change nothing where there is no price', async () => {
    let hasPrice = false
    const spot = async () => (hasPrice ? 0.5 : Promise.reject(new Error('no feed')))
    const portfolio = createPortfolio({ spot, volatility: 1 })
    portfolio.add(sold(10n, 5n), CALL)
    await expect(portfolio.mark(NOW)).rejects.toThrow('no feed')
    hasPrice = true
    expect((await portfolio.mark(NOW)).hedges).toHaveLength(1)
  })

  test('add up for any trades and prices', async () => {
    const trade = fc.record({
      isSale: fc.boolean(),
      count: fc.bigInt({ min: 1n, max: 100_000n }),
      premium: fc.bigInt({ min: 0n, max: 10n ** 11n }),
      option: fc.constantFrom(CALL, PUT),
      price: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(trade, { minLength: 1, maxLength: 8 }), async (trades) => {
        const { portfolio, market } = portfolioAt(0.5)
        let cash = 0n
        let paid = 0n
        let tokens = 0n
        for (const { isSale, count, premium, option, price } of trades) {
          market.price = price
          portfolio.add((isSale ? sold : bought)(count, premium), option)
          cash += isSale ? premium : -premium
          for (const hedge of (await portfolio.mark(NOW)).hedges) {
            paid += hedge.tokens * hedge.price
            tokens += hedge.tokens
          }
        }
        const { statement } = await portfolio.mark(NOW)
        expect(statement.premium).toBe(cash)
        expect(statement.hedge).toBe(tokens * BigInt(Math.round(market.price * 1e6)) - paid)
        expect(statement.total).toBe(statement.premium + statement.options + statement.hedge)
      }),
      { numRuns: 200 },
    )
  })
})
