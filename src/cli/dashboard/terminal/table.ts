import { type Line, line, plainText, span } from '@rfqctl/web/dashboard/line'
import type { Theme } from '@rfqctl/web/dashboard/theme'
import { type Cell, type Column, cellLine, type Scene } from '@rfqctl/web/dashboard/views/view'
import { fitLine, lineWidth } from './fit.ts'

/** A null width takes the columns that are left. */
export type PlacedColumn<Row> = { heading: string; width: number | null; align?: 'right'; cell: (row: Row) => Cell }

/** `changes` overrides the column in this view. */
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

/** In columns and rows of the terminal. */
export type Area = { width: number; height: number }

/** Fits a price below a dollar with all its micro-dollars, as makers quote them. */
export const PRICE_WIDTH = 8

/** Width of a column of prices that may be bids and asks, which few requests have. */
export const priceWidth = <Row>({ cell }: Column<Row>, rows: readonly Row[], scene: Scene): number =>
  Math.max(PRICE_WIDTH, ...rows.map((row) => lineWidth(cellLine(cell(row, scene)))))

const GAP = 2

/**
 * Only rows around the chosen one, exactly as high as the area; without rows, the empty text. For a screen reader each
 * row is a sentence and the area is unbounded.
 */
export function drawTable<Row>(table: {
  columns: readonly PlacedColumn<Row>[]
  rows: readonly Row[]
  chosen: number | null
  empty: readonly string[]
  theme: Theme
  area: Area
}): Line[] {
  const { columns, rows, chosen, empty, theme, area } = table
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

/** Pads or cuts to the height of the area. */
export function fill(lines: readonly Line[], { height }: Area): Line[] {
  if (!Number.isFinite(height)) return [...lines]
  return Array.from({ length: height }, (_, i) => lines[i] ?? [])
}

/** Half-open range of the rows that fit on `height` lines; the chosen row is near the middle. */
export function windowAround(chosen: number, count: number, height: number): { start: number; end: number } {
  const size = Math.max(0, Math.min(height, count))
  const start = Math.max(0, Math.min(chosen - Math.floor(size / 2), count - size))
  return { start, end: start + size }
}

/** Columns without a fixed width share the rest. */
function columnWidths<Row>(columns: readonly PlacedColumn<Row>[], width: number): number[] {
  const fixed = columns.reduce((sum, column) => sum + (column.width ?? 0), 0)
  const open = columns.filter((column) => column.width === null).length
  const left = width - fixed - GAP * (columns.length - 1)
  return columns.map((column) => column.width ?? Math.max(0, Math.floor(left / open)))
}

function spoken<Row>(columns: readonly PlacedColumn<Row>[], row: Row, isChosen: boolean): Line {
  const cells = columns.flatMap(({ heading, cell }) => {
    const text = plainText(cellLine(cell(row))).trim()
    return text === '' ? [] : [`${heading.toLowerCase()} ${text}`.trim()]
  })
  return line(`${isChosen ? 'Selected: ' : ''}${cells.join(', ')}.`)
}
