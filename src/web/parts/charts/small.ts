import { linePath, rangeOf, scaleOf } from './scale.ts'

/** The line of a sparkline over values that are evenly apart; empty for fewer than two. */
export function sparkPath(values: readonly number[]): string {
  if (values.length < 2) return ''
  const x = scaleOf([0, values.length - 1], [0, 100])
  const y = scaleOf(rangeOf(values, { margin: 0, least: 0 }), [92, 8])
  return linePath(values.map((value, i) => ({ x: x(i), y: y(value) })))
}

/** A bar of a bar chart, in hundredths of its width and height. */
export type BarShape = { x: number; y: number; width: number; height: number }

/** Bars from 0 up, evenly apart; the highest fills the height. A value above 0 is never too small to be seen. */
export function barShapes(values: readonly number[]): BarShape[] {
  const most = Math.max(0, ...values)
  const step = 100 / Math.max(1, values.length)
  return values.map((value, i) => {
    const height = value <= 0 || most === 0 ? 0 : Math.max(2, (value / most) * 100)
    return { x: i * step + step * 0.1, y: 100 - height, width: step * 0.8, height }
  })
}
