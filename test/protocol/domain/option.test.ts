import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { collateral, maxPayoff, type OptionType, payoff } from '../../../src/protocol/domain/option.ts'
import { contracts, ONE_USD, type ResolutionBps, type StrikeBps } from '../../../src/protocol/domain/units.ts'
import { optionType, size, strikeBps } from '../../support/arbitraries.ts'
import { exactMicro, maxPayoffDollars, payoffDollars } from '../../support/oracles/option-value.ts'

const STRIKES = Array.from({ length: 9_999 }, (_, i) => (i + 1) as StrikeBps)
const RESOLUTIONS = Array.from({ length: 101 }, (_, i) => i as ResolutionBps)
const TYPES: OptionType[] = ['call', 'put']

const option = (optionType: OptionType, strikeBps: number) => ({ optionType, strikeBps: strikeBps as StrikeBps })

/** Every strike and resolution at which a law fails; a list, because two million expectations would take seconds. */
function failures(law: (strike: StrikeBps, resolution: ResolutionBps) => boolean): string[] {
  const broken: string[] = []
  for (const strike of STRIKES) {
    for (const resolution of RESOLUTIONS) if (!law(strike, resolution)) broken.push(`${strike}/${resolution}`)
  }
  return broken
}

test('at strike 5000 and resolution 59 a call pays 0.09 and a put pays 0 (decision U3)', () => {
  expect(payoff(option('call', 5_000), 59 as ResolutionBps)).toBe(90_000n)
  expect(payoff(option('put', 5_000), 59 as ResolutionBps)).toBe(0n)
})

test('the max payoff is 1 - K for a call and K for a put, at every strike', () => {
  for (const strike of STRIKES) {
    for (const type of TYPES) expect(maxPayoff(option(type, strike))).toBe(exactMicro(maxPayoffDollars(type, strike)))
  }
})

describe('at every strike and every resolution', () => {
  test.each(TYPES)('a %s pays the textbook payoff, to the micro-dollar', (type) => {
    const textbook = (strike: number, resolution: number) => exactMicro(payoffDollars(type, strike, resolution))
    expect(
      failures((strike, resolution) => payoff(option(type, strike), resolution) === textbook(strike, resolution)),
    ).toEqual([])
  })

  test('an option pays at least nothing and at most its max payoff', () => {
    const inRange = (type: OptionType, strike: StrikeBps, resolution: ResolutionBps) => {
      const pays = payoff(option(type, strike), resolution)
      return pays >= 0n && pays <= maxPayoff(option(type, strike))
    }
    expect(failures((strike, resolution) => TYPES.every((type) => inRange(type, strike, resolution)))).toEqual([])
  })

  test('a call less a put is the price less the strike', () => {
    const forward = (strike: number, resolution: number) => BigInt(resolution) * 10_000n - BigInt(strike) * 100n
    expect(
      failures((strike, resolution) => {
        const [call, put] = [payoff(option('call', strike), resolution), payoff(option('put', strike), resolution)]
        return call - put === forward(strike, resolution) && (call === 0n || put === 0n)
      }),
    ).toEqual([])
  })
})

test('a certain YES pays a call its max payoff, a certain NO pays a put its own', () => {
  for (const strike of STRIKES) {
    expect(payoff(option('call', strike), 100 as ResolutionBps)).toBe(maxPayoff(option('call', strike)))
    expect(payoff(option('put', strike), 0 as ResolutionBps)).toBe(maxPayoff(option('put', strike)))
  }
})

test('a call and a put of one strike lock one dollar together', () => {
  for (const strike of STRIKES)
    expect(maxPayoff(option('call', strike)) + maxPayoff(option('put', strike))).toBe(ONE_USD)
})

test('collateral is the max payoff of every option written, and adds up over fills', () => {
  fc.assert(
    fc.property(optionType, strikeBps, size, size, (type, strike, a, b) => {
      expect(collateral(option(type, strike), a)).toBe(maxPayoff(option(type, strike)) * a)
      expect(collateral(option(type, strike), a) + collateral(option(type, strike), b)).toBe(
        collateral(option(type, strike), contracts(a + b)),
      )
    }),
  )
  expect(collateral(option('call', 4_500), contracts(1_000n))).toBe(550_000_000n)
  expect(collateral(option('put', 4_500), contracts(1_000n))).toBe(450_000_000n)
})
