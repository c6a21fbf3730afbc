import { describe, expect, it } from 'vitest'
import { usd6 } from '../../../src/domain/units.ts'
import { barHeights, linePlaces, pathOf, pricePlaces } from '../../../src/web/operate/geometry.ts'

const at = (second: number, micro: bigint) => ({ at: second * 1_000, price: usd6(micro) })

describe('a chart of the page', () => {
  it('has bars as high as their share of the greatest, and none of nothing', () => {
    expect(barHeights([0, 5, 10])).toEqual([0, 0.5, 1])
    expect(barHeights([0, 0])).toEqual([0, 0])
  })

  it('has a line between the least and the greatest, equal values in the middle', () => {
    expect(linePlaces([1, 3, 2])).toEqual([
      { x: 0, y: 1 },
      { x: 0.5, y: 0 },
      { x: 1, y: 0.5 },
    ])
    expect(linePlaces([7])).toEqual([{ x: 0.5, y: 0.5 }])
  })

  it('has every quote as a dot and the best price as steps to the end, dearer ones higher', () => {
    const history = {
      dots: [at(0, 130_000n), at(5, 120_000n)],
      bests: [at(0, 130_000n), at(5, 120_000n)],
      from: 0,
      to: 10_000,
    }
    expect(pricePlaces(history)).toEqual({
      dots: [
        { x: 0, y: 0 },
        { x: 0.5, y: 1 },
      ],
      best: [
        { x: 0, y: 0 },
        { x: 0.5, y: 0 },
        { x: 0.5, y: 1 },
        { x: 1, y: 1 },
      ],
    })
    expect(pricePlaces({ dots: [], bests: [], from: 0, to: 1 })).toBeNull()
  })

  it('stays within its picture for prices of before and after it', () => {
    const places = pricePlaces({ dots: [at(0, 1n), at(99, 1n)], bests: [], from: 10_000, to: 20_000 })
    expect(places?.dots.map(({ x, y }) => [x, y])).toEqual([
      [0, 0.5],
      [1, 0.5],
    ])
  })

  it('is drawn in units of its picture', () => {
    expect(
      pathOf(
        [
          { x: 0, y: 1 },
          { x: 0.5, y: 0 },
        ],
        1_000,
        100,
      ),
    ).toBe('M0 100L500 0')
    expect(pathOf([], 1_000, 100)).toBe('')
  })
})
