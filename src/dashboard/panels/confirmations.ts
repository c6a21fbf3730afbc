import { plural } from '../../lib/format.ts'
import { bar, latencyHistogram } from '../charts.ts'
import { ago, dollars, duration, marketText, shortId, termsText } from '../format.ts'
import { type Line, line, span } from '../line.ts'
import type { Market } from '../market.ts'
import { orderFor } from '../request-view.ts'
import { type Confirmation, confirmationRows, questionOf } from '../selectors.ts'
import { type Area, type Column, drawTable, fill } from '../table.ts'
import { commandLine, type Theme } from '../theme.ts'
import type { Panel, Scene } from './panel.ts'
import { candidateLines, outcomeText } from './status.ts'

/** From this width on there is room for what is traded, and for a bar of the time that is left. */
const WIDE = 118

/** Lines of the histogram below the table: a title and eight classes. */
const HISTOGRAM_HEIGHT = 9

/** Who is asked to sign and how long it still has; what became of others; how long signing takes. */
export const drawConfirmations: Panel = (scene, area) => {
  const { market, theme, filter, chosen } = scene
  const rows = confirmationRows(market, filter)
  const row = rows[chosen]
  const ladder = row === undefined ? [] : candidateLines(row.request, scene.now, theme.glyphs, area.width)
  const histogram = histogramLines(market.waits, theme, area.width)
  const height = area.height - histogram.length - ladder.length
  const empty =
    filter === ''
      ? ['No maker was asked to sign yet. A commit starts it:', `  ${commandLine(theme, 'taker commit')}`]
      : [`No confirmation matches "${filter}".`]
  const table = drawTable({
    columns: columnsOf(scene, area),
    rows,
    chosen,
    empty,
    theme,
    area: { width: area.width, height },
  })
  return fill([...table, ...ladder, ...histogram], area)
}

const columnsOf = ({ market, now, theme }: Scene, { width }: Area): Column<Confirmation>[] => [
  { heading: 'REQUEST', width: 8, cell: ({ request }) => span(shortId(request.requestId), 'title') },
  { heading: 'MAKER', width: 12, cell: ({ candidate }) => candidate.makerId },
  { heading: 'OUTCOME', width: 13, cell: ({ candidate }) => outcomeText(candidate, theme.glyphs) },
  { heading: 'TIME', width: width < WIDE ? 11 : 18, cell: (row) => timeText(row, now, theme, width) },
  { heading: 'TRY', width: 3, align: 'right', cell: ({ attempt }) => String(attempt) },
  { heading: 'FOR', width: width < WIDE ? null : 22, cell: ({ request }) => orderText(request) },
  ...(width < WIDE ? [] : tradedColumns(market)),
]

const tradedColumns = (market: Market): Column<Confirmation>[] => [
  { heading: 'ASKS', width: 20, cell: ({ request }) => termsText(request.terms) },
  { heading: 'MARKET', width: null, cell: ({ request }) => marketText(questionOf(market, request.terms)) },
]

function timeText({ request, candidate }: Confirmation, now: number, { glyphs, medium }: Theme, width: number): Line {
  const { waiting } = request
  if (candidate.outcome !== 'asked' || waiting === null) return line(span(`${ago(now - candidate.at)} ago`, 'faint'))
  const left = waiting.deadline - now
  const allowed = waiting.deadline - waiting.askedAt
  if (medium === 'speech') return line(`${duration(left)} left of ${duration(allowed)}`)
  const text = span(`${duration(left)} left`, 'busy')
  return width < WIDE ? [text] : line(span(`${bar(left / allowed, 8, glyphs)} `, 'busy'), text)
}

/** The order that was last frozen, else what the taker asks for. */
function orderText(request: Confirmation['request']): string {
  const order = orderFor(request)
  return order === null ? termsText(request.terms) : `${order.optionAmount} for ${dollars(order.premiumAmount)}`
}

function histogramLines(waits: readonly number[], theme: Theme, width: number): Line[] {
  const title = line(span(` time to sign, of the newest ${plural(waits.length, 'confirmation')}`, 'faint'))
  return [title, ...latencyHistogram(waits, theme, Math.min(width, 70))].slice(0, HISTOGRAM_HEIGHT)
}
