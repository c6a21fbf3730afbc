import { linePath, type Place, type Range, rangeOf, scaleOf } from './scale.ts'

/** What a trade makes where its market resolves at a price: hundredths of $1, and micro-dollars, negative for a loss. */
export type ProfitAt = { price: number; profit: bigint }

/** A payoff diagram, in hundredths of its width and height. */
export type PayoffShape = {
  /** The line of profits, from the left to the right. */
  line: string
  /** What lies between the line and no profit: above it, and below it. */
  gain: string
  loss: string
  /** How high no profit is. */
  zeroY: number
  /** Where a price is, and how high the profit at it. */
  placeOf: (price: number) => Place
}

/** The top and the bottom of the line, with room for the strokes. */
const FIELD: Range = [94, 6]

/** The shape of a payoff diagram. Points are by price, ascending; fewer than two make an empty one. */
export function payoffShape(points: readonly ProfitAt[]): PayoffShape {
  const values = points.map(({ price, profit }) => ({ price, value: Number(profit) }))
  const [first, last] = [values[0], values.at(-1)]
  const x = scaleOf([first?.price ?? 0, last?.price ?? 100], [0, 100])
  // No profit is always in sight: without it a diagram could not be read.
  const y = scaleOf(rangeOf([0, ...values.map(({ value }) => value)], { margin: 0, least: 1 }), FIELD)
  const zeroY = y(0)
  const places = withCrossings(values).map(({ price, value }) => ({ x: x(price), y: y(value) }))
  return {
    line: linePath(places),
    gain: fill(places, zeroY, Math.min),
    loss: fill(places, zeroY, Math.max),
    zeroY,
    placeOf: (price) => ({ x: x(price), y: y(valueAt(values, price)) }),
  }
}

type Value = { price: number; value: number }

/** The same line with a point wherever it crosses no profit, so that gain and loss end in the same place. */
function withCrossings(values: readonly Value[]): Value[] {
  return values.flatMap((point, i) => {
    const before = values[i - 1]
    if (before === undefined || before.value * point.value >= 0) return [point]
    const share = before.value / (before.value - point.value)
    return [{ price: before.price + share * (point.price - before.price), value: 0 }, point]
  })
}

/** The area on one side of no profit; empty where the line is never there. */
function fill(places: readonly Place[], zeroY: number, keep: (a: number, b: number) => number): string {
  const [first, last] = [places[0], places.at(-1)]
  const kept = places.map(({ x, y }) => ({ x, y: keep(y, zeroY) }))
  if (first === undefined || last === undefined || kept.every(({ y }) => y === zeroY)) return ''
  return `${linePath([{ x: first.x, y: zeroY }, ...kept, { x: last.x, y: zeroY }])}Z`
}

/** The profit at a price, on the straight line between the points beside it. */
function valueAt(values: readonly Value[], price: number): number {
  const next = values.findIndex((point) => point.price >= price)
  const [before, after] = [values[next - 1], values[next]]
  if (after === undefined) return values.at(-1)?.value ?? 0
  if (before === undefined) return after.value
  return before.value + ((price - before.price) / (after.price - before.price)) * (after.value - before.value)
}
