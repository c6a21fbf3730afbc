import { stripVTControlCharacters } from 'node:util'
import type { Paint } from './paint.ts'

/**
 * A column: its heading, how a row fills it, and on which side it stands. Where it is aligned by its decimal points, all
 * cells have as many decimals as the finest one.
 */
export type Column<Row> = { heading: string; cell: (row: Row) => string; align?: 'right' | 'decimal' }

/** Where a table is shown: in which colours, and how wide; a width of null is no limit. */
type Place = { paint: Paint; width: number | null }

/**
 * Rows as aligned lines under dim headings. The last column may be ragged: text of strangers belongs there, and it is cut
 * where the terminal ends.
 */
export function tableLines<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { paint, width }: Place,
): string[] {
  const filled = columns.map((column) => cellsOf(column, rows))
  const grid = [
    columns.map(({ heading }) => paint.dim(heading)),
    ...rows.map((_, row) => filled.map((cells) => cells[row] ?? '')),
  ]
  const widths = columns.map((_, index) => Math.max(...grid.map((cells) => widthOf(cells[index] ?? ''))))
  const before = widths.slice(0, -1).reduce((sum, columnWidth) => sum + columnWidth + GAP.length, 0)
  const room = width === null ? Number.POSITIVE_INFINITY : Math.max(width - before, LEAST_ROOM)
  return grid.map((cells) =>
    cells
      .map((cell, index) => {
        if (index === columns.length - 1 && widthOf(cell) > room)
          return `${stripVTControlCharacters(cell).slice(0, room - 1)}…`
        const padding = ' '.repeat((widths[index] ?? 0) - widthOf(cell))
        return columns[index]?.align === undefined ? cell + padding : padding + cell
      })
      .join(GAP)
      .trimEnd(),
  )
}

function cellsOf<Row>({ cell, align }: Column<Row>, rows: readonly Row[]): string[] {
  const cells = rows.map(cell)
  if (align !== 'decimal') return cells
  const most = Math.max(...cells.map((text) => decimalsOf(text).length))
  return cells.map((text) => text.replace(DECIMALS, (decimals) => decimals.padEnd(most, '0')))
}

/** The decimals at the end of a number, with their point. */
const DECIMALS = /\.\d+$/

const decimalsOf = (text: string): string => DECIMALS.exec(text)?.[0] ?? ''

const GAP = '  '

/** Less of a last column says nothing: then it is better that the terminal wraps it. */
const LEAST_ROOM = 8

/** Facts under each other, names dim and aligned. */
export function factLines(facts: readonly (readonly [name: string, value: string])[], paint: Paint): string[] {
  const width = Math.max(...facts.map(([name]) => name.length))
  return facts.map(([name, value]) => `${paint.dim(name.padEnd(width))}  ${value}`)
}

const widthOf = (text: string): number => stripVTControlCharacters(text).length
