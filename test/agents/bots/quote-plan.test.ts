import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decideQuote, drawQuotePlan, levelOf, type QuotePlan } from '../../../src/agents/bots/quote-plan.ts'
import { createRandom } from '../../../src/agents/bots/random.ts'
import { MAKER_STYLES, type MakerStyle, type StyleName } from '../../../src/agents/bots/style.ts'
import { usd6ToNumber } from '../../../src/protocol/domain/decimal.ts'
import { maxPayoff, type OptionType } from '../../../src/protocol/domain/option.ts'
import { checkQuote } from '../../../src/protocol/domain/quote.ts'
import type { OneSidedTrade } from '../../../src/protocol/domain/request.ts'
import { contracts, type StrikeBps, usd6 } from '../../../src/protocol/domain/units.ts'

const NOW = 1_800_000_000_000
const DAY_MS = 86_400_000
const CALM: QuotePlan = { view: 0, pausesMs: [0] }
/** A maker of round numbers. */
const STYLE: MakerStyle = { ...MAKER_STYLES.tight, size: 1_200, positionLimit: 8_000 }

const option = ({ optionType = 'call', strikeBps = 5_000, days = 30 }: Partial<Terms> = {}) => ({
  optionType,
  strikeBps: strikeBps as StrikeBps,
  expiryMs: NOW + days * DAY_MS,
})
type Terms = { optionType: OptionType; strikeBps: number; days: number }
const buy = (dollars: number): OneSidedTrade => ({ side: 'buy', budget: usd6(BigInt(dollars) * 1_000_000n) })
const sell = (size: number): OneSidedTrade => ({ side: 'sell', size: contracts(BigInt(size)) })

function decide(over: Partial<Parameters<typeof decideQuote>[0]> = {}) {
  const request = { option: option(), trade: buy(500) }
  return decideQuote({ request, style: STYLE, plan: CALM, spot: 0.5, position: 0, round: 0, now: NOW, ...over })
}

const priceOf = (over: Parameters<typeof decide>[0]) => {
  const decision = decide(over)
  if (decision.kind !== 'quote') throw new Error(`passed: ${decision.reason}`)
  return usd6ToNumber(decision.price)
}

const situations = fc.record({
  optionType: fc.constantFrom<OptionType>('call', 'put'),
  strikeBps: fc.integer({ min: 1, max: 9_999 }),
  days: fc.double({ min: 0.0001, max: 700, noNaN: true }),
  spot: fc.double({ min: 0, max: 1, noNaN: true }),
  trade: fc.oneof(fc.integer({ min: 1, max: 1_000_000 }).map(buy), fc.integer({ min: 1, max: 100_000 }).map(sell)),
  position: fc.integer({ min: -8_000, max: 8_000 }),
  round: fc.integer({ min: 0, max: 2 }),
  style: fc.constantFrom(...(Object.keys(MAKER_STYLES) as StyleName[])),
  seed: fc.integer(),
})

describe('quotes of packages', () => {
  const expiryMs = NOW + 30 * DAY_MS
  const leg = (quantity: number, optionType: OptionType, strikeBps: number) => ({
    optionType,
    strikeBps: strikeBps as StrikeBps,
    quantity,
  })
  const spread = { legs: [leg(1, 'call', 4_000), leg(-1, 'call', 6_000)], expiryMs }
  const short = { legs: [leg(-1, 'call', 4_000), leg(1, 'call', 6_000)], expiryMs }
  const quoteOf = (option: typeof spread, trade = buy(500)) => {
    const decision = decide({ request: { option, trade } })
    if (decision.kind !== 'quote') throw new Error(`passed: ${decision.reason}`)
    return decision
  }
  const legValue = (strikeBps: number) => {
    const decision = decide({ request: { option: option({ strikeBps }), trade: buy(500) } })
    if (decision.kind !== 'quote') throw new Error('passed')
    return decision.value
  }

  test('go by the sum of their legs, less the floor: expectations add', () => {
    expect(quoteOf(spread).value).toBeCloseTo(legValue(4_000) - legValue(6_000), 12)
    // Who holds the legs the other way round could lose $0.20; the package pays that much more.
    expect(quoteOf(short).value).toBeCloseTo(legValue(6_000) - legValue(4_000) + 0.2, 12)
    expect(quoteOf(spread).value + quoteOf(short).value).toBeCloseTo(0.2, 12)
  })

  test('stay below the max payoff of the package, on both sides of the value', () => {
    const ask = usd6ToNumber(quoteOf(spread).price)
    const bid = usd6ToNumber(quoteOf(spread, sell(100)).price)
    expect(bid).toBeLessThan(quoteOf(spread).value)
    expect(ask).toBeGreaterThan(quoteOf(spread).value)
    const prices = [0.1, 0.5, 0.8].map((spot) => priceOf({ request: { option: spread, trade: buy(500) }, spot }))
    expect(prices.filter((price) => price >= 0.2)).toEqual([])
  })
})

describe('quoting decisions', () => {
  test('never give a quote that the relay would refuse, nor one at the max payoff or under a tick', () => {
    let quoted = 0
    fc.assert(
      fc.property(situations, ({ optionType, strikeBps, days, spot, trade, position, round, ...maker }) => {
        const style = MAKER_STYLES[maker.style]
        const request = { option: option({ optionType, strikeBps, days }), trade }
        const plan = drawQuotePlan(style, createRandom(maker.seed))
        const decision = decideQuote({ request, style, plan, spot, position, round, now: NOW })
        if (decision.kind === 'pass') return
        quoted += 1
        const { price, size, value } = decision
        expect(value).toBeGreaterThanOrEqual(0)
        expect(value).toBeLessThanOrEqual(Number(maxPayoff(request.option)) / 1e6 + 1e-12)
        expect(price).toBeGreaterThanOrEqual(100n)
        expect(price % 100n).toBe(0n)
        expect(price).toBeLessThan(maxPayoff(request.option))
        expect(size).toBeLessThanOrEqual(BigInt(style.size))
        expect(checkQuote(request, { side: trade.side, price, size })).toEqual([])
      }),
      { numRuns: 2_000 },
    )
    expect(quoted).toBeGreaterThan(300)
  })

  test('ask above the value and bid below it, half a spread away and rounded to a tick', () => {
    const ask = decide()
    const bid = decide({ request: { option: option(), trade: sell(100) } })
    if (ask.kind === 'pass' || bid.kind === 'pass') throw new Error('passed')
    const asked = usd6ToNumber(ask.price) - (ask.value + STYLE.halfSpread)
    const lost = bid.value - STYLE.halfSpread - usd6ToNumber(bid.price)
    for (const rounding of [asked, lost]) {
      expect(rounding).toBeGreaterThanOrEqual(0)
      expect(rounding).toBeLessThan(0.0001)
    }
  })

  test('bid half its value for an option that is worth less than the spread, down to a tick', () => {
    const cheap = { option: option({ optionType: 'put', strikeBps: 3_000, days: 7 }), trade: sell(100) }
    const wide = decide({ request: cheap, style: MAKER_STYLES.wide, spot: 0.362 })
    if (wide.kind === 'pass') throw new Error('passed')
    expect(wide.value).toBeLessThan(MAKER_STYLES.wide.halfSpread)
    expect(usd6ToNumber(wide.price)).toBeCloseTo(wide.value / 2, 3)
    const nearlyWorthless = { option: option({ optionType: 'put', strikeBps: 4_500, days: 1 }), trade: sell(100) }
    expect(priceOf({ request: nearlyWorthless, spot: 0.5002 })).toBeGreaterThanOrEqual(0.0001)
  })

  test('lean against the position: a maker that holds options asks less and bids less', () => {
    const request = { option: option(), trade: sell(100) }
    expect(priceOf({ position: 4_000 })).toBeLessThan(priceOf({ position: 0 }))
    expect(priceOf({ position: 0 })).toBeLessThan(priceOf({ position: -4_000 }))
    expect(priceOf({ request, position: 4_000 })).toBeLessThan(priceOf({ request, position: -4_000 }))
  })

  test('ask a tick for what they want to be rid of at any price', () => {
    const request = { option: option({ strikeBps: 9_900 }), trade: buy(10) }
    expect(priceOf({ request, style: MAKER_STYLES.skewed, spot: 0.01, position: 40_000 })).toBe(0.0001)
  })

  test('improve with each round and never cross the value', () => {
    const style = MAKER_STYLES.requoting
    const asks = [0, 1, 2].map((round) => priceOf({ style, round }))
    expect(asks).toEqual([...asks].sort((a, b) => b - a))
    expect(new Set(asks).size).toBe(3)
    expect(asks[2]).toBeGreaterThan(priceOf({ style: { ...style, halfSpread: 0 } }))
  })

  test('follow the spot and the maker’s own view of it', () => {
    expect(priceOf({ spot: 0.55 })).toBeGreaterThan(priceOf({ spot: 0.5 }))
    expect(priceOf({ plan: { ...CALM, view: 0.01 } })).toBeGreaterThan(priceOf({}))
  })

  test('stay within the room that the position limit leaves', () => {
    const { positionLimit } = STYLE
    expect(decide({ position: 10 - positionLimit })).toMatchObject({ kind: 'quote', size: 10n })
    expect(decide({ position: -positionLimit })).toEqual({ kind: 'pass', reason: 'no_room' })
    const request = { option: option(), trade: sell(1_000) }
    expect(decide({ request, position: positionLimit - 400 })).toEqual({ kind: 'pass', reason: 'too_small' })
    expect(decide({ request, position: positionLimit - 500 })).toMatchObject({ kind: 'quote', size: 500n })
  })

  test('never bid for more options than the taker writes', () => {
    expect(decide({ request: { option: option(), trade: sell(7) } })).toMatchObject({ kind: 'quote', size: 7n })
  })

  test('stay out when the budget does not buy one option', () => {
    const request = { option: option({ strikeBps: 100 }), trade: { side: 'buy', budget: usd6(100_000n) } as const }
    expect(decide({ request })).toEqual({ kind: 'pass', reason: 'too_small' })
  })

  test('stay out of options that have expired', () => {
    expect(decide({ request: { option: option({ days: 0 }), trade: buy(10) } })).toEqual({
      kind: 'pass',
      reason: 'expired',
    })
  })

  test('stay out where there is no price under the max payoff, and of buying what is worthless', () => {
    const thin = { option: option({ strikeBps: 9_999 }), trade: buy(10) }
    expect(decide({ request: thin })).toEqual({ kind: 'pass', reason: 'no_edge' })
    const worthless = { option: option({ strikeBps: 9_900 }), trade: sell(10) }
    expect(decide({ request: worthless, spot: 0.01 })).toEqual({ kind: 'pass', reason: 'no_edge' })
  })

  test('ask a tick under the max payoff of what is certain to pay it: a taker finds a quote', () => {
    const legs = [
      { optionType: 'call', strikeBps: 4_500 as StrikeBps, quantity: 1 },
      { optionType: 'call', strikeBps: 5_500 as StrikeBps, quantity: -1 },
    ] as const
    const { expiryMs } = option({ days: 1 / 144 })
    const quote = decide({ request: { option: { legs, expiryMs }, trade: buy(10) }, spot: 0.6 })
    expect(quote).toMatchObject({ kind: 'quote', price: 99_900n })
    const put = { option: option({ optionType: 'put', strikeBps: 9_000 }), trade: buy(10) }
    expect(decide({ request: put, spot: 0 })).toMatchObject({ kind: 'quote', price: 899_900n })
  })

  test('ask a tick under the max payoff where the spread would reach it but the value does not', () => {
    const request = { option: option({ optionType: 'put', strikeBps: 9_000, days: 1 }), trade: buy(10) }
    expect(priceOf({ request, spot: 0.003 })).toBe(0.8999)
  })
})

describe('a maker’s plan', () => {
  test('is the same for the same seed and takes as many draws whatever is drawn', () => {
    const plans = (seed: number) => {
      const random = createRandom(seed)
      return [drawQuotePlan(MAKER_STYLES.requoting, random), drawQuotePlan(MAKER_STYLES.requoting, random)]
    }
    expect(plans(7)).toEqual(plans(7))
    expect(plans(7)).not.toEqual(plans(8))
  })

  test('keeps within the style: a pause for each quote, a view within its opinion', () => {
    const random = createRandom(3)
    for (let i = 0; i < 200; i += 1) {
      const { view, pausesMs } = drawQuotePlan(MAKER_STYLES.requoting, random)
      expect(pausesMs).toHaveLength(3)
      expect(Math.abs(view)).toBeLessThanOrEqual(0.004)
      for (const pause of pausesMs) expect(pause >= 60 && pause <= 350).toBe(true)
    }
  })
})

test('a level is what a maker would quote in the end on either side, and is never crossed', () => {
  const series = { ...option(), expiry: (NOW + 30 * DAY_MS) / 1_000 }
  const level = (style: Partial<MakerStyle>, spot = 0.5) =>
    levelOf(series, { style: { ...STYLE, ...style }, spot, position: 0, now: NOW })
  const { bid, ask } = level({})
  expect(decide({ round: STYLE.improvements })).toMatchObject({ kind: 'quote', price: ask })
  expect(bid).toBeLessThan(ask)
  // It would sell for less than it would pay.
  const generous = level({ halfSpread: -0.02 })
  expect(generous.bid).toBe(generous.ask)
  // It would not buy what is worth nothing, nor sell what is certain to pay.
  expect(level({}, 0.001).bid).toBe(0n)
  expect(level({}, 0.999).ask).toBeLessThanOrEqual(maxPayoff(option()))
})
