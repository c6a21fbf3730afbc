import { stripVTControlCharacters } from 'node:util'
import { startOf, widthOf, wrapWords } from '@rfqctl/lib/text-width'
import type { Colors } from './colors.ts'

/**
 * A column: its heading, how a row fills it, and on which side it stands. Where it is aligned by its decimal points, all
 * cells are as wide behind them as the finest one. What becomes of it where the terminal is too narrow: the text of a last
 * column is cut, or goes on in lines below; a column of any place that says nothing new may be left out.
 */
export type Column<Row> = {
  heading: string
  cell: (row: Row) => string
  align?: 'right' | 'decimal'
  overflow?: 'cut' | 'wrap' | 'drop'
}

/** Where a table is shown: in which colours, and how wide; a width of null is no limit. */
type Place = { colors: Colors; width: number | null }

/**
 * Rows as aligned lines under dim headings. The last column may be ragged: text of strangers belongs there. Where the columns
 * are wider than the terminal, those that may be left out are, the last ones first; what then has no room goes on below, so
 * that each row takes as many lines as its headings, and none is broken by the terminal.
 */
export function tableLines<Row>(columns: readonly Column<Row>[], rows: readonly Row[], place: Place): string[] {
  const { colors, width } = place
  const filled = columns.map((column) => cellsOf(column, rows))
  const grid = [
    columns.map(({ heading }) => colors.dim(heading)),
    ...rows.map((_, row) => filled.map((cells) => cells[row] ?? '')),
  ]
  const widths = columns.map((_, index) => Math.max(...grid.map((cells) => widthOf(cells[index] ?? ''))))
  const last = columns.length - 1
  const needed = widths.map((columnWidth, index) => (index === last ? Math.min(columnWidth, LEAST_ROOM) : columnWidth))
  const starts = startsOf(needed, width)
  const spare = columns.findLastIndex(({ overflow }) => overflow === 'drop')
  if (spare > 0 && starts.length > 1) return tableLines(columns.toSpliced(spare, 1), rows, place)
  const aligned = (cell: string, index: number): string => {
    const padding = ' '.repeat((widths[index] ?? 0) - widthOf(cell))
    return columns[index]?.align === undefined ? cell + padding : padding + cell
  }
  const { overflow = 'cut' } = columns[last] ?? {}
  return grid.flatMap((cells) =>
    starts.flatMap((start, line) => {
      const end = starts[line + 1]
      const before = [line === 0 ? '' : INDENT, ...cells.slice(start, end ?? last).map(at(start, aligned))].join('')
      if (end !== undefined) return [before.trimEnd()]
      const room = width === null ? null : width - widthOf(before)
      const [first = '', ...more] = fitted(cells[last] ?? '', { room, overflow })
      return [(before + aligned(first, last)).trimEnd(), ...more.map((text) => ' '.repeat(widthOf(before)) + text)]
    }),
  )
}

/** The columns that begin a line, where all have the widths that they need. */
function startsOf(needed: readonly number[], width: number | null): number[] {
  const starts = [0]
  let used = 0
  for (const [index, columnWidth] of needed.entries()) {
    if (width !== null && used > 0 && used + columnWidth > width) {
      starts.push(index)
      used = INDENT.length
    }
    used += columnWidth + GAP.length
  }
  return starts
}

/** A cell of a slice that begins at `start`, aligned and with the gap behind it. */
const at =
  (start: number, aligned: (cell: string, index: number) => string) =>
  (cell: string, index: number): string =>
    aligned(cell, start + index) + GAP

/** The lines of a last cell. */
function fitted(
  cell: string,
  { room, overflow }: { room: number | null; overflow: 'cut' | 'wrap' | 'drop' },
): string[] {
  if (overflow === 'wrap') return wrapWords(cell, room)
  if (room === null || widthOf(cell) <= room) return [cell]
  return [`${startOf(stripVTControlCharacters(cell), room - 1)}…`]
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

/** What stands before the columns that go on below. */
const INDENT = '    '

/** Less of a question tells it from no other. */
const LEAST_ROOM = 20

/** Facts under each other, names dim and aligned. */
export function factLines(facts: readonly (readonly [name: string, value: string])[], colors: Colors): string[] {
  const width = Math.max(...facts.map(([name]) => name.length))
  return facts.map(([name, value]) => `${colors.dim(name.padEnd(width))}  ${value}`)
}
