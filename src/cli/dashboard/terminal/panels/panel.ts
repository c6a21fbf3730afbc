import type { Line } from '@rfqctl/web/dashboard/line'
import type { Advice, TableView, Scene as ViewScene } from '@rfqctl/web/dashboard/views/view'
import { type Area, drawTable, type PlacedColumn } from '../table.ts'

/** `chosen` is the index of the chosen row. */
export type Scene = ViewScene & { chosen: number }

/** Pure: has no effects and keeps no state. */
export type Panel = (scene: Scene, area: Area) => Line[]

/** Only rows around the chosen one, or the view's empty text. */
export const drawRows = <Row>(
  view: Pick<TableView<Row>, 'rowsOf' | 'empty'>,
  { columns, scene, area }: { columns: readonly PlacedColumn<Row>[]; scene: Scene; area: Area },
): Line[] =>
  drawTable({
    columns,
    rows: view.rowsOf(scene),
    chosen: scene.chosen,
    empty: adviceTexts(view.empty(scene)),
    theme: scene.theme,
    area,
  })

/** Advice as texts; a command line is indented. */
export const adviceTexts = (advice: readonly Advice[]): string[] =>
  advice.map((part) => (typeof part === 'string' ? part : `  ${part.command}`))
