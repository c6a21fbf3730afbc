import { stripVTControlCharacters } from 'node:util'
import type { Paint } from './paint.ts'

/** A column: its heading, how a row fills it, and on which side it stands. */
export type Column<Row> = { heading: string; cell: (row: Row) => string; align?: 'right' }

/** Rows as aligned lines under dim headings. The last column may be ragged: text of strangers belongs there. */
export function tableLines<Row>(columns: readonly Column<Row>[], rows: readonly Row[], paint: Paint): string[] {
  const grid = [columns.map(({ heading }) => paint.dim(heading)), ...rows.map((row) => columns.map((c) => c.cell(row)))]
  const widths = columns.map((_, index) => Math.max(...grid.map((cells) => widthOf(cells[index] ?? ''))))
  return grid.map((cells) =>
    cells
      .map((cell, index) => {
        const padding = ' '.repeat((widths[index] ?? 0) - widthOf(cell))
        return columns[index]?.align === 'right' ? padding + cell : cell + padding
      })
      .join('  ')
      .trimEnd(),
  )
}

/** Facts under each other, names dim and aligned. */
export function factLines(facts: readonly (readonly [name: string, value: string])[], paint: Paint): string[] {
  const width = Math.max(...facts.map(([name]) => name.length))
  return facts.map(([name, value]) => `${paint.dim(name.padEnd(width))}  ${value}`)
}

const widthOf = (text: string): number => stripVTControlCharacters(text).length
