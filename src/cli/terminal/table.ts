import { stripVTControlCharacters } from 'node:util'
import { startOf, widthOf, wrapWords } from '@rfqctl/lib/text-width'
import type { Colors } from './colors.ts'

/**
 * `decimal` aligns by decimal points: all cells are padded to the most decimals. `overflow` is for a narrow terminal:
 * the text of the last column is cut or wrapped; a column that adds nothing new may be dropped.
 */
export type Column<Row> = {
  heading: string
  cell: (row: Row) => string
  align?: 'right' | 'decimal'
  overflow?: 'cut' | 'wrap' | 'drop'
}

/** A null width is unlimited. */
type Place = { colors: Colors; width: number | null }

/**
 * Aligned rows under dim headings. The last column may be ragged, for untrusted text. In a narrow terminal droppable
 * columns are left out, the last first; the rest continues on lines below, so that each row takes as many lines as its
 * headings and the terminal breaks none.
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

/** Indexes of the columns that begin a line. */
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

/** `start` is the index of the first cell of the slice. */
const at =
  (start: number, aligned: (cell: string, index: number) => string) =>
  (cell: string, index: number): string =>
    aligned(cell, start + index) + GAP

/** The last cell, cut or wrapped to `room` columns. */
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

/** The decimals of a number at the end of a cell, with their point. */
const DECIMALS = /\.\d+$/

const decimalsOf = (text: string): string => DECIMALS.exec(text)?.[0] ?? ''

const GAP = '  '

/** Indents the lines that continue a row. */
const INDENT = '    '

/** A shorter part of a question would not identify it. */
const LEAST_ROOM = 20

export function factLines(facts: readonly (readonly [name: string, value: string])[], colors: Colors): string[] {
  const width = Math.max(...facts.map(([name]) => name.length))
  return facts.map(([name, value]) => `${colors.dim(name.padEnd(width))}  ${value}`)
}
