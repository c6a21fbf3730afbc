import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maxPayoff, type OptionType, payoff, valueAt } from '../../../src/protocol/domain/option.ts'
import { valuePosition, worthNow } from '../../../src/protocol/domain/position.ts'
import type { ListedSeries } from '../../../src/protocol/domain/series.ts'
import { contracts, type ResolutionBps, type StrikeBps, type Usd6, usd6 } from '../../../src/protocol/domain/units.ts'
import { optionType, strikeBps } from '../../support/arbitraries.ts'

const CALL = { optionType: 'call' as OptionType, strikeBps: 4_500 as StrikeBps }
const OPEN = { resolutionBps: null, settled: false, spot: null as Usd6 | null }

const amount = fc.bigInt({ min: 0n, max: 10n ** 9n }).map(contracts)
const spot = fc.bigInt({ min: 0n, max: 1_000_000n }).map(usd6)

describe('a position', () => {
  test('with long options is worth what they would pay at the price of now, all of which can be lost', () => {
    const position = { long: contracts(100n), short: contracts(0n), ...OPEN, spot: usd6(600_000n) }
    expect(valuePosition(CALL, position)).toEqual({
      intrinsic: 150_000n,
      value: 15_000_000n,
      maxLoss: 15_000_000n,
      claimable: 0n,
    })
  })

  test('with written options is worth the collateral without what they would cost, all of which can be lost', () => {
    const position = { long: contracts(0n), short: contracts(100n), ...OPEN, spot: usd6(600_000n) }
    expect(valuePosition(CALL, position)).toEqual({
      intrinsic: 150_000n,
      value: 40_000_000n,
      maxLoss: 40_000_000n,
      claimable: 0n,
    })
  })

  test('with both loses nothing on the pairs', () => {
    const position = { long: contracts(100n), short: contracts(60n), ...OPEN, spot: usd6(600_000n) }
    expect(valuePosition(CALL, position)).toEqual({
      intrinsic: 150_000n,
      value: 39_000_000n,
      maxLoss: 6_000_000n,
      claimable: 0n,
    })
  })

  test('has no value without a price, and what a holder can lose of it is unknown, too', () => {
    const position = { long: contracts(100n), short: contracts(60n), ...OPEN }
    expect(valuePosition(CALL, position)).toEqual({ intrinsic: null, value: null, maxLoss: null, claimable: 0n })
  })

  test('with written options can lose its collateral without a price, and no more than that of those not held as well', () => {
    const written = { long: contracts(0n), short: contracts(100n), ...OPEN }
    expect(valuePosition(CALL, written)).toMatchObject({ intrinsic: null, value: null, maxLoss: 55_000_000n })
    expect(valuePosition(CALL, { ...written, long: contracts(40n) })).toMatchObject({ maxLoss: 33_000_000n })
    expect(valuePosition(CALL, { ...written, long: contracts(100n) })).toMatchObject({ maxLoss: 0n })
  })

  test('in a resolved series is worth its payoff, which is certain, and can be claimed once it is settled', () => {
    const position = {
      long: contracts(10n),
      short: contracts(4n),
      spot: usd6(0n),
      resolutionBps: 59 as ResolutionBps,
    }
    const value = 10n * 140_000n + 4n * 410_000n
    expect(valuePosition(CALL, { ...position, settled: false })).toEqual({
      intrinsic: 140_000n,
      value,
      maxLoss: 0n,
      claimable: 0n,
    })
    expect(valuePosition(CALL, { ...position, settled: true })).toMatchObject({ maxLoss: 0n, claimable: value })
  })

  test('is never worth less than its value without the most that it can lose', () => {
    fc.assert(
      fc.property(optionType, strikeBps, amount, amount, spot, spot, (type, strike, long, short, now, later) => {
        const terms = { long, short, resolutionBps: null, settled: false }
        const option = { optionType: type, strikeBps: strike }
        const today = valuePosition(option, { ...terms, spot: now })
        const future = valuePosition(option, { ...terms, spot: later })
        expect(future.value).toBeGreaterThanOrEqual((today.value as bigint) - (today.maxLoss as bigint))
      }),
    )
  })

  test('and the other side of it are worth the collateral together', () => {
    fc.assert(
      fc.property(optionType, strikeBps, amount, spot, (type, strike, count, price) => {
        const terms = { ...OPEN, spot: price }
        const option = { optionType: type, strikeBps: strike }
        const holder = valuePosition(option, { ...terms, long: count, short: contracts(0n) })
        const writer = valuePosition(option, { ...terms, long: contracts(0n), short: count })
        expect((holder.value as bigint) + (writer.value as bigint)).toBe(count * maxPayoff(option))
      }),
    )
  })
})

test('at the price of a resolution, what an option is worth is its payoff', () => {
  fc.assert(
    fc.property(optionType, strikeBps, fc.integer({ min: 0, max: 100 }), (type, strike, bps) => {
      const price = usd6(BigInt(bps) * 10_000n)
      const option = { optionType: type, strikeBps: strike }
      expect(valueAt(option, price)).toBe(payoff(option, bps as ResolutionBps))
    }),
  )
})

describe('the worth of a position now', () => {
  const series = { ...CALL, expiry: 10_000, resolutionBps: null } as ListedSeries
  const held = { series, long: contracts(100n), short: contracts(0n), mark: usd6(80_000n) }
  const valuedAt = (resolutionBps: ResolutionBps | null) =>
    valuePosition(CALL, { ...held, resolutionBps, settled: false, spot: usd6(550_000n) })

  test('is that at the mark, without which nothing is claimed', () => {
    expect(worthNow({ ...held, ...valuedAt(null) }, 8_199)).toBe(8_000_000n)
    expect(worthNow({ ...held, ...valuedAt(null), mark: null }, 8_199)).toBeNull()
  })

  test('is not known in the last half hour, in which prices of before count', () => {
    expect(worthNow({ ...held, ...valuedAt(null) }, 8_200)).toBeNull()
  })

  test('is the payout once the series has a price', () => {
    const resolutionBps = 62 as ResolutionBps
    const resolved = { ...held, ...valuedAt(resolutionBps), series: { ...series, resolutionBps } }
    expect(worthNow({ ...resolved, mark: null }, 20_000)).toBe(valuedAt(resolutionBps).value)
  })
})
