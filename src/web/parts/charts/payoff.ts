import { linePath, type Place, type Range, rangeOf, scaleOf } from './scale.ts'

/** Price in hundredths of $1; profit in micro-dollars, negative for a loss. */
export type ProfitAt = { price: number; profit: bigint }

/** In hundredths of the width and height. */
export type PayoffShape = ReturnType<typeof payoffShape>

/** Top and bottom of the line, with room for the strokes. */
const FIELD: Range = [94, 6]

/** Points ascend by price; fewer than two make an empty shape. `now` is another profit, which has room in it as well. */
export function payoffShape(points: readonly ProfitAt[], now: bigint | null = null) {
  const values = points.map(({ price, profit }) => ({ price, value: Number(profit) }))
  const [first, last] = [values[0], values.at(-1)]
  const x = scaleOf([first?.price ?? 0, last?.price ?? 100], [0, 100])
  // Zero profit is always in sight: without it a diagram is unreadable.
  const y = scaleOf(
    rangeOf([0, Number(now ?? 0n), ...values.map(({ value }) => value)], { margin: 0, least: 1 }),
    FIELD,
  )
  const zeroY = y(0)
  const places = withCrossings(values).map(({ price, value }) => ({ x: x(price), y: y(value) }))
  return {
    line: linePath(places),
    gain: fill(places, zeroY, Math.min),
    loss: fill(places, zeroY, Math.max),
    zeroY,
    at: ({ price, profit }: ProfitAt): Place => ({ x: x(price), y: y(Number(profit)) }),
    placeOf: (price: number): Place => ({ x: x(price), y: y(valueAt(values, price)) }),
  }
}

type Value = { price: number; value: number }

/** Adds a point at each zero crossing, so that the areas of gain and loss end in the same place. */
const withCrossings = (values: readonly Value[]): Value[] =>
  values.flatMap((point, i) => {
    const before = values[i - 1]
    if (before === undefined || before.value * point.value >= 0) return [point]
    const share = before.value / (before.value - point.value)
    return [{ price: before.price + share * (point.price - before.price), value: 0 }, point]
  })

function fill(places: readonly Place[], zeroY: number, keep: (a: number, b: number) => number): string {
  const [first, last] = [places[0], places.at(-1)]
  const kept = places.map(({ x, y }) => ({ x, y: keep(y, zeroY) }))
  if (first === undefined || last === undefined || kept.every(({ y }) => y === zeroY)) return ''
  return `${linePath([{ x: first.x, y: zeroY }, ...kept, { x: last.x, y: zeroY }])}Z`
}

function valueAt(values: readonly Value[], price: number): number {
  const next = values.findIndex((point) => point.price >= price)
  const [before, after] = [values[next - 1], values[next]]
  if (after === undefined) return values.at(-1)?.value ?? 0
  if (before === undefined) return after.value
  return before.value + ((price - before.price) / (after.price - before.price)) * (after.value - before.value)
}
