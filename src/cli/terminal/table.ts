import { stripVTControlCharacters } from 'node:util'
import { startOf, widthOf, wrapWords } from '../../lib/text-width.ts'
import type { Colors } from './colors.ts'

/**
 * A column: its heading, how a row fills it, and on which side it stands. Where it is aligned by its decimal points, all
 * cells are as wide behind them as the finest one. What becomes of the last column where the terminal ends: its text is cut,
 * goes on in lines below, or, where there is hardly any room, the column is left out.
 */
export type Column<Row> = {
  heading: string
  cell: (row: Row) => string
  align?: 'right' | 'decimal'
  overflow?: 'cut' | 'wrap' | 'drop'
}

/** Where a table is shown: in which colours, and how wide; a width of null is no limit. */
type Place = { colors: Colors; width: number | null }

/** Rows as aligned lines under dim headings. The last column may be ragged: text of strangers belongs there. */
export function tableLines<Row>(columns: readonly Column<Row>[], rows: readonly Row[], place: Place): string[] {
  const { colors, width } = place
  const filled = columns.map((column) => cellsOf(column, rows))
  const grid = [
    columns.map(({ heading }) => colors.dim(heading)),
    ...rows.map((_, row) => filled.map((cells) => cells[row] ?? '')),
  ]
  const widths = columns.map((_, index) => Math.max(...grid.map((cells) => widthOf(cells[index] ?? ''))))
  const before = widths.slice(0, -1).reduce((sum, columnWidth) => sum + columnWidth + GAP.length, 0)
  const room = width === null ? null : width - before
  const { overflow = 'cut' } = columns.at(-1) ?? {}
  if (overflow === 'drop' && room !== null && room < Math.min(LEAST_ROOM, widths.at(-1) ?? 0))
    return tableLines(columns.slice(0, -1), rows, place)
  const aligned = (cell: string, index: number): string => {
    const padding = ' '.repeat((widths[index] ?? 0) - widthOf(cell))
    return columns[index]?.align === undefined ? cell + padding : padding + cell
  }
  return grid.flatMap((cells) => {
    const head = cells.slice(0, -1).map((cell, index) => aligned(cell, index) + GAP)
    const [last = '', ...more] = fitted(cells.at(-1) ?? '', { room, overflow })
    const first = [...head, aligned(last, columns.length - 1)].join('').trimEnd()
    return [first, ...more.map((line) => ' '.repeat(before) + line)]
  })
}

/** The lines of a last cell. */
function fitted(
  cell: string,
  { room, overflow }: { room: number | null; overflow: 'cut' | 'wrap' | 'drop' },
): string[] {
  const least = room === null ? null : Math.max(room, LEAST_ROOM)
  if (overflow === 'wrap') return wrapWords(cell, least)
  if (least === null || widthOf(cell) <= least) return [cell]
  return [`${startOf(stripVTControlCharacters(cell), least - 1)}…`]
}

function cellsOf<Row>({ cell, align }: Column<Row>, rows: readonly Row[]): string[] {
  const cells = rows.map(cell)
  if (align !== 'decimal') return cells
  const most = Math.max(...cells.map((text) => decimalsOf(text).length))
  return cells.map((text) => text.replace(DECIMALS, (decimals) => decimals.padEnd(most)))
}

/** The decimals at the end of a number, with their point. */
const DECIMALS = /\.\d+$/

const decimalsOf = (text: string): string => DECIMALS.exec(text)?.[0] ?? ''

const GAP = '  '

/** Less of a last column says nothing. */
const LEAST_ROOM = 8

/** Facts under each other, names dim and aligned. */
export function factLines(facts: readonly (readonly [name: string, value: string])[], colors: Colors): string[] {
  const width = Math.max(...facts.map(([name]) => name.length))
  return facts.map(([name, value]) => `${colors.dim(name.padEnd(width))}  ${value}`)
}
