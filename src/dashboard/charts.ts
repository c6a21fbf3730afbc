import type { Usd6 } from '../domain/units.ts'
import { clockTime, latency, price } from './format.ts'
import { type Line, line, type Span, span } from './line.ts'
import type { PriceDot } from './request-view.ts'
import type { Area } from './table.ts'
import type { Glyphs, Theme } from './theme.ts'

/** A share, 0..1, as a bar of so many columns. */
export function bar(share: number, width: number, { barFull, barEmpty }: Glyphs): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * width)
  return barFull.repeat(full) + barEmpty.repeat(width - full)
}

/** Values as one line of columns, each as high as its value; the newest that fit. From 0, or from their least. */
export function sparkline(values: readonly number[], width: number, { spark }: Glyphs, from?: number): string {
  const shown = values.slice(-width)
  const least = from ?? Math.min(...shown)
  const range = Math.max(...shown) - least
  const top = spark.length - 1
  return shown.map((value) => spark[range === 0 ? 0 : Math.round(((value - least) / range) * top)]).join('')
}

/** The upper ends of the classes of confirm latencies, milliseconds; the last class has none. */
const LATENCY_CLASSES_MS = [50, 100, 250, 500, 1_000, 2_500, 5_000]

/** How long confirmations took: one line for each class, the counts as bars. */
export function latencyHistogram(waits: readonly number[], { glyphs, medium }: Theme, width: number): Line[] {
  if (waits.length === 0) return [line(span(' No maker has confirmed yet.', 'faint'))]
  const ends = [...LATENCY_CLASSES_MS, Number.POSITIVE_INFINITY]
  const counts = ends.map((end, i) => waits.filter((wait) => wait < end && wait >= (ends[i - 1] ?? 0)).length)
  const most = Math.max(...counts)
  const labels = ends.map((end, i) =>
    end === Number.POSITIVE_INFINITY ? `>= ${latency(ends[i - 1] as number)}` : `< ${latency(end)}`,
  )
  if (medium === 'speech') {
    return [line(`${labels.flatMap((label, i) => (counts[i] ? [`${counts[i]} took ${label}`] : [])).join(', ')}.`)]
  }
  return counts.map((count, i) => {
    const size = Math.max(1, width - 18)
    const filled = count === 0 ? '' : glyphs.barFull.repeat(Math.max(1, Math.round((count / most) * size)))
    return line(` ${(labels[i] as string).padStart(7)} `, span(filled, 'good'), count === 0 ? '' : ` ${count}`)
  })
}

/**
 * The best price over time as a path, and every quote as a dot; prices on the left, times below. The best of a buy is the
 * lowest path, of a sell the highest.
 */
export function priceChart(
  { dots, bests, from, to }: { dots: readonly PriceDot[]; bests: readonly PriceDot[]; from: number; to: number },
  { glyphs, medium }: Theme,
  { width, height }: Area,
): Line[] {
  const points = [...dots, ...bests]
  if (points.length === 0) return [line(span(' No quote yet: its price will appear here.', 'faint'))]
  if (medium === 'speech') return [line(spokenChart(dots, bests))]
  const prices = points.map((point) => Number(point.price))
  const scale = { low: Math.min(...prices), high: Math.max(...prices) }
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
  bests.forEach((best, i) => {
    const end = columnOf(bests[i + 1]?.at ?? to)
    for (let column = columnOf(best.at); column <= end; column += 1) {
      const row = grid[rowOf(Number(best.price))]
      if (row !== undefined) row[column] = span(glyphs.path, 'good')
    }
  })
  for (const { at, price: value } of dots) put(at, value, span(glyphs.dot, 'title'))
  const labelled = new Set([rowOf(scale.high), rowOf(scale.low)])
  const drawn = grid.map((row, i): Line => {
    const value = scale.high - (i / (rows - 1)) * (scale.high - scale.low)
    const label = labelled.has(i)
      ? price(BigInt(Math.round(scale.high === scale.low ? scale.high : value)) as Usd6)
      : ''
    return [span(`${label.padStart(AXIS_WIDTH - 2)} ${glyphs.axis}`, 'faint'), ...row.map((sign) => sign ?? span(' '))]
  })
  return isCaptioned ? [...drawn, caption(from, to, width)] : drawn
}

/** When a chart begins and ends. */
function caption(from: number, to: number, width: number): Line {
  const end = clockTime(to)
  const start = clockTime(from).padEnd(width - AXIS_WIDTH - end.length)
  return line(span(`${' '.repeat(AXIS_WIDTH)}${start}${end}`, 'faint'))
}

/** From this height on a chart has its times below. */
const CAPTION_HEIGHT = 5

/** Columns of the prices beside a chart. */
const AXIS_WIDTH = 10

function spokenChart(dots: readonly PriceDot[], bests: readonly PriceDot[]): string {
  const [first, last] = [bests[0], bests.at(-1)]
  if (first === undefined || last === undefined) return `${dots.length} quotes, none of them live.`
  return `Best price went from ${price(first.price)} to ${price(last.price)} over ${dots.length} quotes.`
}
