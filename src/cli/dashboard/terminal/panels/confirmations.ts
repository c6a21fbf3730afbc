import { type Line, line, span } from '@rfqctl/web/dashboard/line'
import type { Confirmation } from '@rfqctl/web/dashboard/selectors'
import type { Theme } from '@rfqctl/web/dashboard/theme'
import { CONFIRMATIONS, waitsTitle } from '@rfqctl/web/dashboard/views/confirmations'
import { cellLine } from '@rfqctl/web/dashboard/views/view'
import { bar, latencyHistogram } from '../charts.ts'
import { type Area, fill, type PlacedColumn, placed } from '../table.ts'
import { drawLadder } from './ladder.ts'
import { drawRows, type Panel, type Scene } from './panel.ts'

/** Narrower screens omit what is traded and the bar of the time left. */
const WIDE = 118

/** Lines of the histogram below the table: a title and eight classes. */
const HISTOGRAM_HEIGHT = 9

export const drawConfirmations: Panel = (scene, area) => {
  const { market, now, theme, chosen } = scene
  const row = CONFIRMATIONS.rowsOf(scene)[chosen]
  const ladder = row === undefined ? [] : drawLadder(row.request, now, theme.glyphs, area.width)
  const histogram = histogramLines(market.waits, theme, area.width)
  const height = area.height - histogram.length - ladder.length
  const table = drawRows(CONFIRMATIONS, { columns: columnsOf(scene, area), scene, area: { width: area.width, height } })
  return fill([...table, ...ladder, ...histogram], area)
}

function columnsOf(scene: Scene, { width }: Area): PlacedColumn<Confirmation>[] {
  const { request, maker, outcome, time, attempt, for: order, asks, market } = CONFIRMATIONS.columns
  const isWide = width >= WIDE
  return [
    placed(request, scene, 8),
    placed(maker, scene, 12),
    placed(outcome, scene, 13),
    placed(time, scene, isWide ? 18 : 11, { cell: (row) => drawTime(row, scene, isWide) }),
    placed(attempt, scene, 3),
    placed(order, scene, isWide ? 22 : null),
    ...(isWide ? [placed(asks, scene, 20), placed(market, scene, null)] : []),
  ]
}

/** Time left, with a bar where there is room. */
function drawTime(row: Confirmation, scene: Scene, isWide: boolean): Line {
  const { time } = CONFIRMATIONS.columns
  const { glyphs, medium } = scene.theme
  const text = cellLine(time.cell(row, scene))
  const share = time.share(row, scene)
  if (share === null || medium === 'speech' || !isWide) return text
  return line(span(`${bar(share, 8, glyphs)} `, 'busy'), ...text)
}

function histogramLines(waits: readonly number[], theme: Theme, width: number): Line[] {
  const title = line(span(` ${waitsTitle(waits)}`, 'faint'))
  return [title, ...latencyHistogram(waits, theme, Math.min(width, 70))].slice(0, HISTOGRAM_HEIGHT)
}
