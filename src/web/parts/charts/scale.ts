/** In hundredths of the chart: `x` from the left, `y` from the top. */
export type Place = { x: number; y: number }

export type Range = readonly [from: number, to: number]

/** Maps the first range linearly onto the second. A range of one value maps to the middle. */
export function scaleOf([from, to]: Range, [start, end]: Range): (value: number) => number {
  if (from === to) return () => (start + end) / 2
  return (value) => start + ((value - from) / (to - from)) * (end - start)
}

/** A hundredth of a hundredth of a chart is finer than any screen. */
const rounded = (value: number): number => Math.round(value * 100) / 100

export const linePath = (places: readonly Place[]): string =>
  places.map(({ x, y }, i) => `${i === 0 ? 'M' : 'L'}${rounded(x)} ${rounded(y)}`).join('')

/** Each value holds until the next: first across, then up or down. `endX` ends the last step. */
export function stepPath(places: readonly Place[], endX: number): string {
  const steps = places.map(({ x, y }, i) => (i === 0 ? `M${rounded(x)} ${rounded(y)}` : `H${rounded(x)}V${rounded(y)}`))
  return steps.length === 0 ? '' : `${steps.join('')}H${rounded(endX)}`
}

/** A line of no length with round ends is a dot that stays round however the chart is stretched. */
export const dotPath = ({ x, y }: Place): string => `M${rounded(x)} ${rounded(y)}h0`

/** At most `most` round values within a range, about evenly apart: multiples of 1, 2 or 5 times a power of ten. */
export function ticksOf([from, to]: Range, most: number): number[] {
  const span = to - from
  if (!(span > 0) || most < 1) return []
  const power = 10 ** Math.floor(Math.log10(span / most))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => span / size <= most) ?? 10 * power
  const first = Math.ceil(from / step - 1e-9)
  const count = Math.floor(to / step + 1e-9) - first + 1
  return Array.from({ length: Math.max(0, count) }, (_, i) => Number(((first + i) * step).toPrecision(12)))
}

/** Least distance of two labels along an axis, in hundredths of the chart. */
const APART = 14

/** Labels that do not touch each other: of two that would, the first one stays. */
export function spaced<Label extends { at: number }>(labels: readonly Label[]): readonly Label[] {
  const kept: Label[] = []
  for (const label of labels) if (kept.every(({ at }) => Math.abs(at - label.at) >= APART)) kept.push(label)
  return kept
}

/** The range of the values, with a share `margin` of it free on both sides, at least `least` wide. */
export function rangeOf(values: readonly number[], { margin, least }: { margin: number; least: number }): Range {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  if (values.length === 0) return [0, least]
  const free = Math.max((high - low) * margin, (least - (high - low)) / 2)
  return [low - free, high + free]
}
