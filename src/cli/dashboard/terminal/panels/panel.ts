import type { Line } from '@rfqctl/web/dashboard/line'
import type { Advice, TableView, Scene as ViewScene } from '@rfqctl/web/dashboard/views/view'
import { type Area, drawTable, type PlacedColumn } from '../table.ts'

/** What a panel is drawn from; `chosen` is the index of the chosen row. */
export type Scene = ViewScene & { chosen: number }

/** A part of the screen: lines that fill an area. It only draws: it has no effects and keeps nothing. */
export type Panel = (scene: Scene, area: Area) => Line[]

/** The rows of a view in some of its columns around the chosen one, or what it says without any. */
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

/** Sentences as texts: a command line stands apart. */
export const adviceTexts = (advice: readonly Advice[]): string[] =>
  advice.map((part) => (typeof part === 'string' ? part : `  ${part.command}`))
