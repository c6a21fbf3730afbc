import { EVENTS } from '../../views/events.ts'
import { drawTable, placed } from '../table.ts'
import { adviceTexts, type Panel } from './panel.ts'

/** Everything that happens to requests, newest first. */
export const drawEvents: Panel = (scene, area) => {
  const { utc, request, what } = EVENTS.columns
  return drawTable({
    columns: [placed(utc, scene, 8), placed(request, scene, 8), placed(what, scene, null)],
    rows: EVENTS.rowsOf(scene),
    chosen: scene.chosen,
    empty: adviceTexts(EVENTS.empty(scene)),
    theme: scene.theme,
    area,
  })
}
