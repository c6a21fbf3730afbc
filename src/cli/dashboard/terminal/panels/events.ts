import { EVENTS } from '@rfqctl/web/dashboard/views/events'
import { placed } from '../table.ts'
import { drawRows, type Panel } from './panel.ts'

export const drawEvents: Panel = (scene, area) => {
  const { utc, request, what } = EVENTS.columns
  const columns = [placed(utc, scene, 8), placed(request, scene, 8), placed(what, scene, null)]
  return drawRows(EVENTS, { columns, scene, area })
}
