import type { MakerStanding } from '@rfqctl/client/index'
import { type Line, line, span } from '@rfqctl/web/dashboard/line'
import { MAKERS, makerDetail } from '@rfqctl/web/dashboard/views/makers'
import { bar } from '../charts.ts'
import { indented, wrap } from '../fit.ts'
import { type Area, fill, type PlacedColumn, placed } from '../table.ts'
import { drawRows, type Panel, type Scene } from './panel.ts'

const WIDE = 96
const VAST = 126

const DETAIL_HEIGHT = 5

export const drawMakers: Panel = (scene, area) => {
  const maker = MAKERS.rowsOf(scene)[scene.chosen]
  const detail = maker === undefined ? [] : drawDetail(maker, scene, area)
  const table = drawRows(MAKERS, {
    columns: columnsOf(scene, area),
    scene,
    area: { width: area.width, height: area.height - detail.length },
  })
  return fill([...table, ...detail], area)
}

function columnsOf(scene: Scene, { width }: Area): PlacedColumn<MakerStanding>[] {
  const { maker, link, score, hit, quotes, asked, missed, p50, p99, declined, refused, refusal } = MAKERS.columns
  return [
    placed(maker, scene, null),
    placed(link, scene, 6),
    placed(score, scene, 5),
    placed(hit, scene, 4),
    ...[quotes, asked, missed].map((column) => placed(column, scene, column.heading.length)),
    ...[p50, p99].map((column) => placed(column, scene, 5)),
    ...(width < WIDE ? [] : [declined, refused].map((column) => placed(column, scene, column.heading.length))),
    ...(width < VAST ? [] : [placed(refusal, scene, 30)]),
  ]
}

function drawDetail(maker: MakerStanding, scene: Scene, { width }: Area): Line[] {
  const { glyphs, medium } = scene.theme
  const { title, record, refusal } = makerDetail(maker, scene)
  const { score } = maker
  const scoreBar = score === null || medium === 'speech' ? '' : ` ${bar(score / 100, width < WIDE ? 10 : 20, glyphs)}`
  const refusals = maker.lastRefusal === null ? [refusal.text] : wrap(refusal.text, width - 2, 2, glyphs.ellipsis)
  return fill(
    [
      [],
      indented(title),
      [...indented(record), span(scoreBar, 'good')],
      ...refusals.map((text) => line(' ', span(text, refusal.style))),
    ],
    { width, height: medium === 'speech' ? Number.POSITIVE_INFINITY : DETAIL_HEIGHT },
  )
}
