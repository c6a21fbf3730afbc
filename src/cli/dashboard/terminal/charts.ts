import { clockTime, priceText } from '@rfqctl/lib/format'
import type { Usd6 } from '@rfqctl/protocol/domain/units'
import {
  allPrices,
  latencyClasses,
  latencySentence,
  NO_PRICES,
  NO_WAITS,
  type PriceHistory,
  priceRange,
  priceSentence,
} from '@rfqctl/web/dashboard/charts'
import { type Line, line, type Span, span } from '@rfqctl/web/dashboard/line'
import type { Glyphs, Theme } from '@rfqctl/web/dashboard/theme'
import type { Area } from './table.ts'

/** `share` is 0..1, `width` in columns. */
export function bar(share: number, width: number, { barFull, barEmpty }: Glyphs): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * width)
  return barFull.repeat(full) + barEmpty.repeat(width - full)
}

/** The newest values that fit, one column each. Scaled from `from`, else from the least value. */
export function sparkline(values: readonly number[], width: number, { spark }: Glyphs, from?: number): string {
  const shown = values.slice(-width)
  const least = from ?? Math.min(...shown)
  const range = Math.max(...shown) - least
  const top = spark.length - 1
  return shown.map((value) => spark[range === 0 ? 0 : Math.round(((value - least) / range) * top)]).join('')
}

export function latencyHistogram(waits: readonly number[], { glyphs, medium }: Theme, width: number): Line[] {
  if (waits.length === 0) return [line(span(` ${NO_WAITS}`, 'faint'))]
  const classes = latencyClasses(waits)
  if (medium === 'speech') return [line(latencySentence(classes))]
  const most = Math.max(...classes.map(({ count }) => count))
  return classes.map(({ label, count }) => {
    const size = Math.max(1, width - 18)
    const filled = count === 0 ? '' : glyphs.barFull.repeat(Math.max(1, Math.round((count / most) * size)))
    return line(` ${label.padStart(7)} `, span(filled, 'good'), count === 0 ? '' : ` ${count}`)
  })
}

/**
 * The best price as a path, and every quote as a dot; prices on the left, times below. The best of a buy is the lowest
 * path, of a sell the highest; a request for both has a path of bids below that of asks.
 */
export function priceChart(history: PriceHistory, { glyphs, medium }: Theme, { width, height }: Area): Line[] {
  const { bests, bids, from, to } = history
  const scale = priceRange(history)
  if (scale === null) return [line(span(` ${NO_PRICES}`, 'faint'))]
  if (medium === 'speech') return [line(priceSentence(history))]
  const isCaptioned = height >= CAPTION_HEIGHT
  const rows = Math.max(2, isCaptioned ? height - 1 : height)
  const columns = Math.max(4, width - AXIS_WIDTH)
  const rowOf = (value: number) =>
    scale.high === scale.low
      ? Math.floor(rows / 2)
      : Math.round(((scale.high - value) / (scale.high - scale.low)) * (rows - 1))
  const columnOf = (at: number) =>
    Math.min(columns - 1, Math.max(0, Math.floor(((at - from) / Math.max(1, to - from)) * columns)))

  const grid: (Span | null)[][] = Array.from({ length: rows }, () => Array.from({ length: columns }, () => null))
  const put = (at: number, value: Usd6, sign: Span) => {
    const row = grid[rowOf(Number(value))]
    if (row !== undefined) row[columnOf(at)] = sign
  }
  for (const path of [bests, bids]) {
    path.forEach((best, i) => {
      const end = columnOf(path[i + 1]?.at ?? to)
      for (let column = columnOf(best.at); column <= end; column += 1) {
        const row = grid[rowOf(Number(best.price))]
        if (row !== undefined) row[column] = span(glyphs.path, 'good')
      }
    })
  }
  for (const { at, price: value } of allPrices(history)) put(at, value, span(glyphs.dot, 'title'))
  const labelled = new Set([rowOf(scale.high), rowOf(scale.low)])
  const drawn = grid.map((row, i): Line => {
    const value = scale.high - (i / (rows - 1)) * (scale.high - scale.low)
    const label = labelled.has(i)
      ? priceText(BigInt(Math.round(scale.high === scale.low ? scale.high : value)) as Usd6, 'column')
      : ''
    return [span(`${label.padStart(AXIS_WIDTH - 2)} ${glyphs.axis}`, 'faint'), ...row.map((sign) => sign ?? span(' '))]
  })
  return isCaptioned ? [...drawn, caption(from, to, width)] : drawn
}

function caption(from: number, to: number, width: number): Line {
  const end = clockTime(to)
  const start = clockTime(from).padEnd(width - AXIS_WIDTH - end.length)
  return line(span(`${' '.repeat(AXIS_WIDTH)}${start}${end}`, 'faint'))
}

/** From this height on, times are below the chart. */
const CAPTION_HEIGHT = 5

const AXIS_WIDTH = 10
