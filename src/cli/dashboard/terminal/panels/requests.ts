import { plainText, span } from '@rfqctl/web/dashboard/line'
import type { RequestView } from '@rfqctl/web/dashboard/request-view'
import { REQUESTS } from '@rfqctl/web/dashboard/views/requests'
import { shortStatus } from '@rfqctl/web/dashboard/views/status'
import { cellLine } from '@rfqctl/web/dashboard/views/view'
import { type Area, type PlacedColumn, PRICE_WIDTH, placed, priceWidth } from '../table.ts'
import { drawRows, type Panel, type Scene } from './panel.ts'

/** From FAIR columns on, the market and its expiry are shown; from VAST, whole sentences and the cost of a trade. */
const FAIR = 80
const VAST = 150

export const drawRequests: Panel = (scene, area) => drawRows(REQUESTS, { columns: columnsOf(scene, area), scene, area })

function columnsOf(scene: Scene, { width }: Area): PlacedColumn<RequestView>[] {
  const { request, asks, market, expires, best, mark, fills, premium, quotes, standing, left } = REQUESTS.columns
  const { now, theme } = scene
  const short = placed(standing, scene, 17, { cell: (row) => shortStatus(row, now, theme.glyphs) })
  const id = placed(request, scene, 8)
  const onBothSides = REQUESTS.rowsOf(scene).filter(({ side }) => side === null)
  const prices = priceWidth<RequestView>(best, onBothSides, scene)
  if (width < FAIR) return [id, placed(asks, scene, null), placed(best, scene, prices), short]
  // The market of the chosen request is below the list, so bids and asks may take its place.
  const hasMarket = width - prices >= FAIR - PRICE_WIDTH
  const what = hasMarket ? [id, placed(asks, scene, 19), placed(market, scene, null)] : [id, placed(asks, scene, null)]
  if (width < VAST) {
    const cell = (row: RequestView) => span(plainText(cellLine(expires.cell(row, scene))).replace(/^in /, ''))
    return [...what, placed(expires, scene, 7, { cell }), placed(best, scene, prices), short]
  }
  return [
    ...what,
    placed(expires, scene, 11),
    placed(best, scene, prices),
    placed(mark, scene, PRICE_WIDTH),
    placed(fills, scene, 7),
    placed(premium, scene, 9),
    placed(quotes, scene, 6),
    placed(standing, scene, 28),
    placed(left, scene, 6),
  ]
}
