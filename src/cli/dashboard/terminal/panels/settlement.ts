import type { SeriesProgress } from '@rfqctl/client/index'
import { type Line, line, span } from '@rfqctl/web/dashboard/line'
import { SETTLEMENT, seriesDetail } from '@rfqctl/web/dashboard/views/settlement'
import { sparkline } from '../charts.ts'
import { indented, wrap } from '../fit.ts'
import { type Area, fill, type PlacedColumn, PRICE_WIDTH, placed } from '../table.ts'
import { drawRows, type Panel, type Scene } from './panel.ts'

/** From WIDE columns on, the deciding source and the prices of the window as a line; from VAST, a longer line and the mark. */
const WIDE = 100
const VAST = 150

const DETAIL_HEIGHT = 6

export const drawSettlement: Panel = (scene, area) => {
  const progress = SETTLEMENT.rowsOf(scene)[scene.chosen]
  const detail = progress === undefined ? [] : drawDetail(progress, scene, area)
  const table = drawRows(SETTLEMENT, {
    columns: columnsOf(scene, area),
    scene,
    area: { width: area.width, height: area.height - detail.length },
  })
  return fill([...table, ...detail], area)
}

function columnsOf(scene: Scene, { width }: Area): PlacedColumn<SeriesProgress>[] {
  const { series, expiry, phase, mark, points, twap, prices, result, by } = SETTLEMENT.columns
  const { glyphs, medium } = scene.theme
  const columns = width < VAST ? 12 : 30
  const line = placed(prices, scene, columns, { cell: (row) => sparkline(prices.values(row), columns, glyphs) })
  return [
    placed(series, scene, null),
    placed(expiry, scene, 11),
    placed(phase, scene, 10),
    ...(medium === 'speech' || width >= VAST ? [placed(mark, scene, PRICE_WIDTH)] : []),
    placed(points, scene, 6),
    placed(twap, scene, 6),
    ...(medium === 'speech' || width < WIDE ? [] : [line]),
    placed(result, scene, 6),
    ...(medium === 'speech' || width >= WIDE ? [placed(by, scene, 7)] : []),
  ]
}

function drawDetail(progress: SeriesProgress, scene: Scene, { width }: Area): Line[] {
  const { glyphs, medium } = scene.theme
  const { title, expires, meaning, worth } = seriesDetail(progress, scene)
  return fill(
    [
      [],
      indented(title),
      indented(expires),
      ...(worth === null ? [] : [indented(worth)]),
      ...wrap(meaning.text, width - 2, 2, glyphs.ellipsis).map((text) => line(' ', span(text, meaning.style))),
    ],
    { width, height: medium === 'speech' ? Number.POSITIVE_INFINITY : DETAIL_HEIGHT },
  )
}
