import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RfqError } from '../../../src/protocol/domain/errors.ts'
import {
  breakpointsOf,
  collateral,
  floorOf,
  type Leg,
  legsOf,
  maxPayoff,
  normalPackage,
  optionOf,
  type PackageOption,
  packLegs,
  payoff,
  unpackLegs,
  valueAt,
} from '../../../src/protocol/domain/option.ts'
import { legIdsOf, type SeriesTerms, seriesIdOf, shapeOf } from '../../../src/protocol/domain/series.ts'
import { contracts, type ResolutionBps, type StrikeBps, usd6 } from '../../../src/protocol/domain/units.ts'
import { packageOption, seriesTerms } from '../../support/arbitraries.ts'
import { ethersShapedId } from '../../support/oracles/ethers-signing.ts'

const RESOLUTIONS = Array.from({ length: 101 }, (_, i) => i as ResolutionBps)

const leg = (quantity: number, optionType: 'call' | 'put', strikeBps: number): Leg => ({
  optionType,
  strikeBps: strikeBps as StrikeBps,
  quantity,
})
const SPREAD = normalPackage([leg(1, 'call', 4_000), leg(-1, 'call', 6_000)])
const BUTTERFLY = normalPackage([leg(1, 'call', 4_000), leg(-2, 'call', 5_000), leg(1, 'call', 6_000)])

/** What legs come to at every resolution, in micro-dollars, by plain numbers and the definition alone. */
function sumsOf({ legs }: PackageOption): number[] {
  return Array.from({ length: 101 }, (_, cents) =>
    legs
      .map(({ optionType, strikeBps, quantity }) => {
        const difference = cents * 100 - strikeBps
        return quantity * Math.max(0, optionType === 'call' ? difference : -difference) * 100
      })
      .reduce((sum, each) => sum + each, 0),
  )
}

const refusalOf = (legs: readonly Leg[]): string => {
  try {
    normalPackage(legs)
    return 'none'
  } catch (fault) {
    return fault instanceof RfqError ? `${fault.code}: ${fault.message}` : 'another fault'
  }
}

describe('a package', () => {
  test('has legs that are series of its market and expiry; a call or put has no legs', () => {
    const market = { conditionId: `0x${'11'.repeat(32)}`, yesTokenId: '7', expiry: 1_800_000_000 } as const
    const [low, high] = [4_000, 6_000].map(
      (strikeBps) => ({ optionType: 'call', strikeBps: strikeBps as StrikeBps }) as const,
    )
    const ids = [low, high].map((call) => seriesIdOf({ ...market, ...(call as NonNullable<typeof call>) }))
    expect(legIdsOf({ ...market, ...SPREAD })).toEqual(ids)
    expect(legIdsOf({ ...market, ...(low as NonNullable<typeof low>) })).toEqual([])
  })

  test('is worth no less than nothing and no more than its max payoff between two resolutions, where its legs come to that', () => {
    const hill = normalPackage([leg(1, 'call', 4_010), leg(-2, 'call', 4_050), leg(1, 'call', 4_150)])
    const hollow = normalPackage([leg(-1, 'call', 4_010), leg(2, 'call', 4_050), leg(-1, 'call', 4_150)])
    const between = usd6(405_000n)
    expect([maxPayoff(hill), maxPayoff(hollow)]).toEqual([6_000n, 6_000n])
    expect([valueAt(hill, between), valueAt(hollow, between)]).toEqual([6_000n, 0n])
  })

  test('pays what its legs come to less the least of it, at every resolution, and at most the difference (decision K1)', () => {
    fc.assert(
      fc.property(packageOption, (option) => {
        const sums = sumsOf(option)
        const [least, most] = [Math.min(...sums), Math.max(...sums)]
        expect(Number(floorOf(option))).toBe(least)
        expect(Number(maxPayoff(option))).toBe(most - least)
        expect(RESOLUTIONS.map((resolution) => Number(payoff(option, resolution)))).toEqual(
          sums.map((sum) => sum - least),
        )
        expect(most - least).toBeLessThanOrEqual(16_000_000)
      }),
      { numRuns: 2_000 },
    )
  })

  test('pays on a straight line between its breakpoints, the first and the last resolution among them', () => {
    fc.assert(
      fc.property(packageOption, (option) => {
        const points = breakpointsOf(option)
        expect(points[0]?.resolutionBps).toBe(0)
        expect(points.at(-1)?.resolutionBps).toBe(100)
        for (const [i, to] of points.entries()) {
          const from = points[i - 1]
          if (from === undefined) continue
          const width = to.resolutionBps - from.resolutionBps
          for (let step = 0; step <= width; step += 1) {
            const paid = payoff(option, (from.resolutionBps + step) as ResolutionBps)
            expect((paid - from.payoff) * BigInt(width)).toBe((to.payoff - from.payoff) * BigInt(step))
          }
        }
      }),
    )
  })

  test('is never worth less than nothing or more than its max payoff, also between two resolutions', () => {
    fc.assert(
      fc.property(packageOption, fc.bigInt({ min: 0n, max: 1_000_000n }), (option, price) => {
        const value = valueAt(option, usd6(price))
        expect(value).toBeGreaterThanOrEqual(0n)
        expect(value).toBeLessThanOrEqual(maxPayoff(option))
      }),
    )
    const narrow = normalPackage([leg(1, 'call', 4_450), leg(-2, 'call', 4_550), leg(1, 'call', 4_650)])
    expect(valueAt(narrow, usd6(455_000n))).toBe(maxPayoff(narrow))
  })

  test('locks a spread of 0.40 and 0.60 for 20 cents, from either side', () => {
    const sold = normalPackage([leg(-1, 'call', 4_000), leg(1, 'call', 6_000)])
    expect([maxPayoff(SPREAD), floorOf(SPREAD)]).toEqual([200_000n, 0n])
    expect([maxPayoff(sold), floorOf(sold)]).toEqual([200_000n, -200_000n])
    expect(collateral(SPREAD, contracts(1_000n))).toBe(200_000_000n)
    for (const resolution of RESOLUTIONS) {
      expect(payoff(SPREAD, resolution) + payoff(sold, resolution)).toBe(200_000n)
    }
  })

  test('shows what it pays where that bends', () => {
    expect(breakpointsOf(BUTTERFLY)).toEqual([
      { resolutionBps: 0, payoff: 0n },
      { resolutionBps: 40, payoff: 0n },
      { resolutionBps: 50, payoff: 100_000n },
      { resolutionBps: 60, payoff: 0n },
      { resolutionBps: 100, payoff: 0n },
    ])
  })
})

describe('the normal form of a package', () => {
  test('is the same in whatever order its legs are given', () => {
    fc.assert(
      fc.property(packageOption, fc.integer(), (option, seed) => {
        const shuffled = [...option.legs].sort((a, b) => ((a.strikeBps * seed) % 97) - ((b.strikeBps * seed) % 97))
        expect(normalPackage(shuffled)).toEqual(option)
        expect(optionOf({ ...option, expiry: 1 } as PackageOption)).toEqual(option)
        expect(legsOf(option)).toBe(option.legs)
      }),
    )
  })

  test.each<[string, readonly Leg[]]>([
    ['The package has 1 legs, not 2 to 4.', [leg(1, 'call', 4_000)]],
    ['The package has 5 legs, not 2 to 4.', [1, 2, 3, 4, 5].map((strike) => leg(1, 'put', strike))],
    ['A quantity is 0, not a whole number from -4 to 4 other than 0.', [leg(0, 'call', 1), leg(1, 'call', 2)]],
    ['A quantity is 5, not a whole number from -4 to 4 other than 0.', [leg(1, 'call', 1), leg(5, 'call', 2)]],
    ['A quantity is 0.5, not a whole number from -4 to 4 other than 0.', [leg(1, 'call', 1), leg(0.5, 'call', 2)]],
    ['The package has the same option twice.', [leg(1, 'call', 4_000), leg(1, 'put', 1), leg(2, 'call', 4_000)]],
    ['All quantities of the package can be divided by 2.', [leg(2, 'call', 4_000), leg(-4, 'call', 6_000)]],
  ])('refuses: %s', (detail, legs) => {
    expect(refusalOf(legs)).toBe(`invalid_package: ${detail}`)
  })

  test('refuses what pays the same at every resolution', () => {
    // A box: a synthetic forward bought at one strike and sold at another.
    const box = [leg(1, 'call', 4_000), leg(-1, 'call', 6_000), leg(-1, 'put', 4_000), leg(1, 'put', 6_000)]
    expect(refusalOf(box)).toBe('invalid_package: The package pays the same at every resolution.')
  })
})

describe('the packed legs', () => {
  test('hold every package in one word of 32 bits a leg (decision K2)', () => {
    fc.assert(
      fc.property(packageOption, (option) => {
        const word = packLegs(option.legs)
        expect(word).toBeLessThan(1n << 128n)
        expect(unpackLegs(word)).toEqual(option)
      }),
    )
    expect(packLegs(SPREAD.legs)).toBe(0xff001770_01000fa0n)
  })

  test.each<[string, bigint]>([
    ['no leg', 0n],
    ['one leg', 0x01000fa0n],
    ['legs out of order', 0x01000fa0_ff001770n],
    ['a type that is none', 0x01021770_01000fa0n],
    ['a strike of nothing', 0x01000000_01000fa0n],
  ])('are refused with %s', (_, word) => {
    expect(() => unpackLegs(word)).toThrow(expect.objectContaining({ code: 'invalid_package' }))
  })

  test('make the id of a package, which is no id of a single option, by ethers as well', () => {
    fc.assert(
      fc.property(seriesTerms, packageOption, ({ conditionId, yesTokenId, expiry, ...vanilla }, option) => {
        const terms: SeriesTerms = { conditionId, yesTokenId, expiry, ...option }
        expect(seriesIdOf(terms)).toBe(ethersShapedId({ conditionId, yesTokenId, expiry, ...shapeOf(option) }))
        expect(shapeOf(option).kind).toBe(2)
        expect(seriesIdOf({ conditionId, yesTokenId, expiry, ...vanilla })).not.toBe(seriesIdOf(terms))
      }),
      { numRuns: 50 },
    )
  })
})

test('a single call or put is one leg of itself, with a floor of 0', () => {
  const call = { optionType: 'call', strikeBps: 4_500 as StrikeBps } as const
  expect(legsOf(call)).toEqual([{ ...call, quantity: 1 }])
  expect(floorOf(call)).toBe(0n)
  expect(breakpointsOf(call)).toEqual([
    { resolutionBps: 0, payoff: 0n },
    { resolutionBps: 45, payoff: 0n },
    { resolutionBps: 100, payoff: 550_000n },
  ])
})
