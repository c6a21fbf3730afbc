import { type Line, line, type Span } from '../line.ts'
import type { Market } from '../market.ts'
import { type DashboardState, shownFilter, shownMarket, shownNow } from '../state.ts'
import type { Theme } from '../theme.ts'

/** What a view is read from. `now` is the relay's time, Unix milliseconds. */
export type Scene = { market: Market; now: number; theme: Theme; filter: string }

/** What the views of a state are read from. */
export const sceneOf = (state: DashboardState, theme: Theme): Scene => ({
  market: shownMarket(state),
  now: shownNow(state),
  theme,
  filter: shownFilter(state),
})

/** What stands in one cell. */
export type Cell = string | Span | Line

/** A column of a view: what stands above it, and how a row fills it; figures stand on the right. */
export type Column<Row> = {
  heading: string
  align?: 'right'
  cell: (row: Row, scene: Scene) => Cell
  /** What a face may draw beside the text as a bar: a share of 1; null where there is nothing to draw. */
  share?: (row: Row, scene: Scene) => number | null
  /** What a face draws in place of a text: values from the oldest to the newest. */
  values?: (row: Row) => readonly number[]
}

/** A sentence, or a command line that one can type. */
export type Advice = string | { command: string }

/** A view of rows: all its columns by name, and what it says without rows. */
export type TableView<Row> = {
  columns: Readonly<Record<string, Column<Row>>>
  rowsOf: (scene: Scene) => readonly Row[]
  idOf: (row: Row) => string
  empty: (scene: Scene) => readonly Advice[]
}

/** A cell as a line. */
export const cellLine = (cell: Cell): Line => {
  if (typeof cell === 'string') return line(cell)
  return 'text' in cell ? [cell] : cell
}
