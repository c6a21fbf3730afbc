import { priceText } from '@rfqctl/lib/format'
import type { Usd6 } from '@rfqctl/protocol/domain/units'
import { type Line, line, type Span, span } from '../line.ts'
import type { Market } from '../market.ts'
import { type DashboardState, shownFilter, shownMarket, shownNow } from '../state.ts'
import type { Theme } from '../theme.ts'

/** `now` is the relay's time, Unix milliseconds. */
export type Scene = { market: Market; now: number; theme: Theme; filter: string }

export const sceneOf = (state: DashboardState, theme: Theme): Scene => ({
  market: shownMarket(state),
  now: shownNow(state),
  theme,
  filter: shownFilter(state),
})

export type Cell = string | Span | Line

/** Figures align right. */
export type Column<Row> = {
  heading: string
  align?: 'right'
  cell: (row: Row, scene: Scene) => Cell
  /** Share, 0..1, for a bar that a face may draw beside the text; null for none. */
  share?: (row: Row, scene: Scene) => number | null
  /** Values for a chart in place of the text, oldest first. */
  values?: (row: Row) => readonly number[]
}

export const figure = <Row>(heading: string, cell: Column<Row>['cell']): Column<Row> => ({
  heading,
  align: 'right',
  cell,
})

export type Advice = string | { command: string }

export type TableView<Row> = {
  columns: Readonly<Record<string, Column<Row>>>
  rowsOf: (scene: Scene) => readonly Row[]
  idOf: (row: Row) => string
  empty: (scene: Scene) => readonly Advice[]
}

/** The prices of both sides, as traders write them; the better ones of a book are set off. */
export function bidAsk(
  bid: { price: Usd6; isBest?: boolean },
  ask: { price: Usd6; isBest?: boolean },
  { medium }: Theme,
): Line {
  const [low, high] = [bid, ask].map(({ price, isBest = true }) =>
    span(priceText(price, 'column'), isBest ? 'strong' : null),
  ) as [Span, Span]
  if (medium === 'speech') return line('bid ', low, ', ask ', high)
  return line(low, span(medium === 'page' ? ' × ' : ' / ', 'faint'), high)
}

export const cellLine = (cell: Cell): Line => {
  if (typeof cell === 'string') return line(cell)
  return 'text' in cell ? [cell] : cell
}
