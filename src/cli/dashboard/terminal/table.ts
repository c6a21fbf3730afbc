import { type Line, line, plainText, span } from '@rfqctl/web/dashboard/line'
import type { Theme } from '@rfqctl/web/dashboard/theme'
import { type Cell, type Column, cellLine, type Scene } from '@rfqctl/web/dashboard/views/view'
import { fitLine } from './fit.ts'

/** A column at its place: its heading, its width (null: what is left) and how a row fills it. */
export type PlacedColumn<Row> = {
  heading: string
  width: number | null
  align?: 'right'
  cell: (row: Row) => Cell
}

/** A column of a view at a width; `changes` is what is different in this terminal. */
export const placed = <Row>(
  { heading, align, cell }: Column<Row>,
  scene: Scene,
  width: number | null,
  changes: Partial<PlacedColumn<Row>> = {},
): PlacedColumn<Row> => ({
  heading,
  width,
  ...(align === undefined ? {} : { align }),
  cell: (row) => cell(row, scene),
  ...changes,
})

/** Columns and rows of the screen that a part of it may take. */
export type Area = { width: number; height: number }

/** A price below a dollar with each micro-dollar of it: makers quote such ones. */
export const PRICE_WIDTH = 8

/** Between two columns. */
const GAP = 2

/**
 * Rows under headings, only those around the chosen one that fit into the area; exactly its height. Without rows it says
 * what would fill it. For someone who hears it each row is a sentence, and the area has no end.
 */
export function drawTable<Row>({
  columns,
  rows,
  chosen,
  empty,
  theme,
  area,
}: {
  columns: readonly PlacedColumn<Row>[]
  rows: readonly Row[]
  /** The index of the chosen row; null where none can be chosen. */
  chosen: number | null
  empty: readonly string[]
  theme: Theme
  area: Area
}): Line[] {
  if (rows.length === 0)
    return fill(
      empty.map((text) => line(' ', span(text, 'faint'))),
      area,
    )
  if (theme.medium === 'speech') return rows.map((row, i) => spoken(columns, row, i === chosen))
  const { pointer, ellipsis } = theme.glyphs
  const widths = columnWidths(columns, area.width - GAP)
  const isCut = rows.length > area.height - 1
  const { start, end } = windowAround(chosen ?? 0, rows.length, area.height - (isCut ? 2 : 1))
  const draw = (cells: readonly Line[], mark: string): Line => [
    span(mark.padEnd(GAP), 'title'),
    ...cells.flatMap((cell, i) => [
      ...fitLine(cell, widths[i] as number, ellipsis, columns[i]?.align),
      ...(i < cells.length - 1 ? [span(' '.repeat(GAP))] : []),
    ]),
  ]
  const headings = columns.map(({ heading }) => line(span(heading, 'faint')))
  const more = isCut ? [line(span(`  ${start + 1}-${end} of ${rows.length}`, 'faint'))] : []
  const body = rows.slice(start, end).map((row, i) =>
    draw(
      columns.map(({ cell }) => cellLine(cell(row))),
      start + i === chosen ? pointer : '',
    ),
  )
  return fill([draw(headings, ''), ...body, ...more], area)
}

/** Exactly as many lines as the area is high. */
export function fill(lines: readonly Line[], { height }: Area): Line[] {
  if (!Number.isFinite(height)) return [...lines]
  return Array.from({ length: height }, (_, i) => lines[i] ?? [])
}

/** The part of a list of `count` rows that is shown on `height` lines: the chosen row stays about the middle. */
export function windowAround(chosen: number, count: number, height: number): { start: number; end: number } {
  const size = Math.max(0, Math.min(height, count))
  const start = Math.max(0, Math.min(chosen - Math.floor(size / 2), count - size))
  return { start, end: start + size }
}

/** Fixed columns get what they ask for, the others share what is left. */
function columnWidths<Row>(columns: readonly PlacedColumn<Row>[], width: number): number[] {
  const fixed = columns.reduce((sum, column) => sum + (column.width ?? 0), 0)
  const open = columns.filter((column) => column.width === null).length
  const left = width - fixed - GAP * (columns.length - 1)
  return columns.map((column) => column.width ?? Math.max(0, Math.floor(left / open)))
}

/** A row as a sentence: each cell after its heading. */
function spoken<Row>(columns: readonly PlacedColumn<Row>[], row: Row, isChosen: boolean): Line {
  const cells = columns.flatMap(({ heading, cell }) => {
    const text = plainText(cellLine(cell(row))).trim()
    return text === '' ? [] : [`${heading.toLowerCase()} ${text}`.trim()]
  })
  return line(`${isChosen ? 'Selected: ' : ''}${cells.join(', ')}.`)
}
