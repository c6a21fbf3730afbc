import { describe, expect, it } from 'vitest'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import { barHeights, linePlaces, pricePlaces } from '../../../src/web/operate/geometry.ts'

const at = (second: number, micro: bigint) => ({ at: second * 1_000, price: usd6(micro) })

describe('a chart of the page', () => {
  it('has bars as high as their share of the greatest, and none of nothing', () => {
    expect(barHeights([0, 5, 10])).toEqual([0, 50, 100])
    expect(barHeights([0, 0])).toEqual([0, 0])
  })

  it('has a line between the least and the greatest, equal values in the middle', () => {
    expect(linePlaces([1, 3, 2])).toEqual([
      { x: 0, y: 100 },
      { x: 50, y: 0 },
      { x: 100, y: 50 },
    ])
    expect(linePlaces([7])).toEqual([{ x: 50, y: 50 }])
  })

  it('has every quote and every best price at its time, dearer ones higher', () => {
    const history = {
      dots: [at(0, 130_000n), at(2, 125_000n), at(5, 120_000n)],
      bests: [at(0, 130_000n), at(5, 120_000n)],
      bids: [],
      from: 0,
      to: 10_000,
    }
    expect(pricePlaces(history)).toEqual({
      dots: [
        { x: 0, y: 0 },
        { x: 20, y: 50 },
        { x: 50, y: 100 },
      ],
      bests: [
        { x: 0, y: 0 },
        { x: 50, y: 100 },
      ],
      bids: [],
    })
    expect(pricePlaces({ dots: [], bests: [], bids: [], from: 0, to: 1 })).toBeNull()
  })

  it('has both prices of a quote on both sides, bids below', () => {
    const dots = [{ ...at(5, 120_000n), bid: usd6(80_000n) }]
    const history = { dots, bests: [at(5, 120_000n)], bids: [at(5, 80_000n)], from: 0, to: 10_000 }
    const [ask, bid] = [
      { x: 50, y: 0 },
      { x: 50, y: 100 },
    ]
    expect(pricePlaces(history)).toEqual({ dots: [ask, bid], bests: [ask], bids: [bid] })
  })

  it('stays within its picture for prices of before and after it', () => {
    const places = pricePlaces({ dots: [at(0, 1n), at(99, 1n)], bests: [], bids: [], from: 10_000, to: 20_000 })
    expect(places?.dots.map(({ x, y }) => [x, y])).toEqual([
      [0, 50],
      [100, 50],
    ])
  })
})
