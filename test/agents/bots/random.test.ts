import { describe, expect, test } from 'vitest'
import { between, createRandom, deriveSeed } from '../../../src/agents/bots/random.ts'

const draw = (seed: number, count: number) => {
  const random = createRandom(seed)
  return Array.from({ length: count }, random)
}

describe('the seeded generator', () => {
  test('repeats its numbers for the same seed and not for another', () => {
    expect(draw(7, 5)).toEqual(draw(7, 5))
    expect(draw(7, 5)).not.toEqual(draw(8, 5))
  })

  test('gives the published first number of mulberry32', () => {
    expect(draw(0, 1)).toEqual([0.26642920868471265])
  })

  test('spreads evenly over [0, 1)', () => {
    const numbers = draw(42, 20_000)
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...numbers)).toBeLessThan(1)
    expect(numbers.reduce((sum, x) => sum + x, 0) / numbers.length).toBeCloseTo(0.5, 2)
  })

  test('each member of a run gets a seed of its own', () => {
    const seeds = Array.from({ length: 100 }, (_, i) => deriveSeed(7, `maker-${i}`))
    expect(new Set(seeds).size).toBe(100)
    expect(deriveSeed(7, 'maker-1')).toBe(seeds[1])
  })

  test('a range is drawn within its ends', () => {
    const random = createRandom(1)
    for (let i = 0; i < 100; i += 1) {
      const drawn = between(random, { min: 40, max: 60 })
      expect(drawn).toBeGreaterThanOrEqual(40)
      expect(drawn).toBeLessThan(60)
    }
  })
})
