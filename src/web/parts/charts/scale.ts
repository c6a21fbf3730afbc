/** A place on a chart, in hundredths of its width from the left, and of its height from the top. */
export type Place = { x: number; y: number }

/** From what to what something goes. */
export type Range = readonly [from: number, to: number]

/** Where values are on an axis: `range` is spread over the places `onto`, by a straight line. A range of one value is in the middle. */
export function scaleOf([from, to]: Range, [start, end]: Range): (value: number) => number {
  if (from === to) return () => (start + end) / 2
  return (value) => start + ((value - from) / (to - from)) * (end - start)
}

/** A hundredth of a hundredth of a chart is finer than any screen. */
const rounded = (value: number): number => Math.round(value * 100) / 100

/** The path of straight lines from place to place. */
export const linePath = (places: readonly Place[]): string =>
  places.map(({ x, y }, i) => `${i === 0 ? 'M' : 'L'}${rounded(x)} ${rounded(y)}`).join('')

/** The path of a value that holds until the next one: first across, then up or down. `endX` is how far the last one holds. */
export function stepPath(places: readonly Place[], endX: number): string {
  const steps = places.map(({ x, y }, i) => (i === 0 ? `M${rounded(x)} ${rounded(y)}` : `H${rounded(x)}V${rounded(y)}`))
  return steps.length === 0 ? '' : `${steps.join('')}H${rounded(endX)}`
}

/** A dot that stays round however the chart is stretched: a line of no length, drawn with round ends. */
export const dotPath = ({ x, y }: Place): string => `M${rounded(x)} ${rounded(y)}h0`

/** Round values within a range, at most `most` of them and about evenly apart: multiples of 1, 2 or 5 times a power of ten. */
export function ticksOf([from, to]: Range, most: number): number[] {
  const span = to - from
  if (!(span > 0) || most < 1) return []
  const power = 10 ** Math.floor(Math.log10(span / most))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => span / size <= most) ?? 10 * power
  const first = Math.ceil(from / step - 1e-9)
  const count = Math.floor(to / step + 1e-9) - first + 1
  return Array.from({ length: Math.max(0, count) }, (_, i) => Number(((first + i) * step).toPrecision(12)))
}

/** The range of some values with a share of it left free on both sides, at least `least` wide. */
export function rangeOf(values: readonly number[], { margin, least }: { margin: number; least: number }): Range {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  if (values.length === 0) return [0, least]
  const free = Math.max((high - low) * margin, (least - (high - low)) / 2)
  return [low - free, high + free]
}
