import { gain, resolution, usd } from '@rfqctl/lib/format'
import { wrapWords } from '@rfqctl/lib/text-width'
import type { ProfitPoint } from '@rfqctl/protocol/domain/profit'
import { type Usd6, usd6 } from '@rfqctl/protocol/domain/units'
import type { Colors } from '../terminal/colors.ts'

/** A null width is a standard terminal; `height` is the number of rows beside the axis. */
type Place = { colors: Pick<Colors, 'green' | 'red' | 'dim'>; width: number | null; height?: number }

/** Columns, without a terminal. */
const STANDARD_WIDTH = 72
const STANDARD_HEIGHT = 6

/** With fewer columns beside them, amounts are only in the sentences below. */
const LEAST_COLUMNS = 20

/**
 * Profit by resolution price, points ascending: gains are above the axis, losses below it, and sentences below give
 * exact prices and amounts. Every line fits a width of 40 columns or more, with or without colour.
 */
export function payoffDiagram(points: readonly ProfitPoint[], place: Place): string[] {
  const { colors, width, height = STANDARD_HEIGHT } = place
  const most = extreme(points, 1n)
  const least = extreme(points, -1n)
  const rows = rowsOf({ most, least, height })
  const names = namesOf({ most, least })
  const room = (width ?? STANDARD_WIDTH) - names.width - 1
  const isNamed = room >= LEAST_COLUMNS
  const columns = oddUpTo(Math.min(points.length, isNamed ? room : (width ?? STANDARD_WIDTH) - 1))
  const margin = isNamed ? names.width : 0
  const sampled = Array.from({ length: columns }, (_, column) => pointAt(points, column / (columns - 1)))
  const line = (name: string, tick: string, drawn: string) =>
    `${colors.dim(`${(isNamed ? name : '').padStart(margin)}${tick}`)}${drawn}`
  return [
    ...Array.from({ length: rows.gain }, (_, row) => {
      const level = rows.gain - 1 - row
      const drawn = sampled.map(({ profit }) => gainGlyph((Number(profit) / Number(most)) * rows.gain, level)).join('')
      return line(row === 0 ? names.most : '', row === 0 ? '┤' : '│', colors.green(drawn.trimEnd()))
    }),
    line(names.zero, '┤', colors.dim('─'.repeat(columns))),
    ...Array.from({ length: rows.loss }, (_, row) => {
      const drawn = sampled.map(({ profit }) => lossGlyph((Number(profit) / Number(least)) * rows.loss, row)).join('')
      const isLast = row === rows.loss - 1
      return line(isLast ? names.least : '', isLast ? '┤' : '│', colors.red(drawn.trimEnd()))
    }),
    colors.dim(`${' '.repeat(margin + 1)}${priceAxis(sampled)}`),
    ...rangeLines(points, { most, least }, { colors, width: width ?? STANDARD_WIDTH }),
  ]
}

/** The largest gain or loss; 0 where there is none. */
const extreme = (points: readonly ProfitPoint[], sign: 1n | -1n): Usd6 =>
  points.reduce((furthest, { profit }) => (profit * sign > furthest * sign ? profit : furthest), usd6(0n))

/** Rows above and below the axis, in proportion; at least one for each that is not 0. */
function rowsOf({ most, least, height }: { most: Usd6; least: Usd6; height: number }): { gain: number; loss: number } {
  if (most === 0n) return { gain: 0, loss: least === 0n ? 0 : height }
  if (least === 0n) return { gain: height, loss: 0 }
  const share = Number(most) / (Number(most) - Number(least))
  const gain = Math.min(height - 1, Math.max(1, Math.round(share * height)))
  return { gain, loss: height - gain }
}

function namesOf({ most, least }: { most: Usd6; least: Usd6 }) {
  const names = { most: `${gain(most)} `, zero: '$0 ', least: `${usd(least)} ` }
  return { ...names, width: Math.max(...Object.values(names).map(({ length }) => length)) }
}

/** An odd number of columns has a middle one, at $0.50. */
const oddUpTo = (count: number): number => count - 1 + (count % 2)

/** `share` is 0..1. */
const pointAt = (points: readonly ProfitPoint[], share: number): ProfitPoint =>
  points[Math.round(share * (points.length - 1))] as ProfitPoint

const EIGHTHS = ' ▁▂▃▄▅▆▇█'

/** `level` is 0 on the axis. Every gain is visible. */
function gainGlyph(rows: number, level: number): string {
  const eighths = Math.round((rows - level) * 8)
  return EIGHTHS[Math.min(8, Math.max(rows > 0 && level === 0 ? 1 : 0, eighths))] as string
}

/** `row` is 0 under the axis. */
const lossGlyph = (rows: number, row: number): string => (rows >= row + 0.5 || (rows > 0 && row === 0) ? '░' : ' ')

/** Both ends and the middle. */
function priceAxis(points: readonly ProfitPoint[]): string {
  const text = (point: ProfitPoint | undefined) => resolution(point?.price ?? 0)
  const [first, middle, last] = [text(points[0]), text(points[Math.floor(points.length / 2)]), text(points.at(-1))]
  const before = Math.floor(points.length / 2) - first.length
  return `${first}${' '.repeat(before)}${middle}${' '.repeat(points.length - before - first.length - middle.length - last.length)}${last}`
}

function rangeLines(
  points: readonly ProfitPoint[],
  { most, least }: { most: Usd6; least: Usd6 },
  { colors, width }: { colors: Place['colors']; width: number },
): string[] {
  const ranges = [
    { name: colors.green('gain'), holds: (profit: bigint) => profit > 0n, extent: `, at most ${usd(most)}` },
    { name: colors.dim('even'), holds: (profit: bigint) => profit === 0n, extent: '' },
    { name: colors.red('loss'), holds: (profit: bigint) => profit < 0n, extent: `, at most ${usd(usd6(-least))}` },
  ]
  return ranges.flatMap(({ name, holds, extent }) => {
    const prices = rangesText(points, holds)
    if (prices === '') return []
    const lines = wrapWords(`at YES ${prices}${extent}`, width - NAME_WIDTH)
    return lines.map((text, index) => (index === 0 ? `${name}  ${text}` : ' '.repeat(NAME_WIDTH) + text))
  })
}

/** "gain" and two spaces. */
const NAME_WIDTH = 6

/** "$0.20 to $0.45 and $0.80". */
function rangesText(points: readonly ProfitPoint[], holds: (profit: bigint) => boolean): string {
  const ranges: [first: number, last: number][] = []
  points.forEach(({ price, profit }, index) => {
    if (!holds(profit)) return
    const range = ranges.at(-1)
    if (range === undefined || !holds(points[index - 1]?.profit ?? 0n)) ranges.push([price, price])
    else range[1] = price
  })
  return ranges
    .map(([first, last]) => (first === last ? resolution(first) : `${resolution(first)} to ${resolution(last)}`))
    .join(' and ')
}
