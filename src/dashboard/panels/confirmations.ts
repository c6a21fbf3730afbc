import { bar, latencyHistogram } from '../charts.ts'
import { ago, dollars, duration, plural, shortId, wordsOf } from '../format.ts'
import { type Line, line, span } from '../line.ts'
import { commandLine, type Look } from '../look.ts'
import { type Confirmation, confirmationRows } from '../selectors.ts'
import { type Column, drawTable, fill } from '../table.ts'
import type { Panel, Scene } from './panel.ts'
import { ladderLines, outcomeWords } from './standing.ts'

/** Lines of the histogram below the table: a title and eight classes. */
const HISTOGRAM_HEIGHT = 9

/** Who is asked to sign and how long it still has; what became of others; how long signing takes. */
export const drawConfirmations: Panel = (scene, area) => {
  const { market, look, filter, chosen } = scene
  const rows = confirmationRows(market, filter)
  const row = rows[chosen]
  const ladder = row === undefined ? [] : ladderLines(row.request, scene.now, look.glyphs, area.width)
  const histogram = histogramLines(market.waits, look, area.width)
  const height = area.height - histogram.length - ladder.length
  const empty =
    filter === ''
      ? ['Nobody was asked to sign yet. A taker that commits starts it:', `  ${commandLine(look, 'taker commit')}`]
      : [`No confirmation matches "${filter}".`]
  const table = drawTable({ columns: columnsOf(scene), rows, chosen, empty, look, area: { width: area.width, height } })
  return fill([...table, ...ladder, ...histogram], area)
}

const columnsOf = ({ now, look }: Scene): Column<Confirmation>[] => [
  { heading: 'REQUEST', width: 8, cell: ({ request }) => span(shortId(request.requestId), 'title') },
  { heading: 'MAKER', width: 12, cell: ({ rung }) => rung.makerId },
  { heading: 'OUTCOME', width: 13, cell: ({ rung }) => outcomeWords(rung, look.glyphs) },
  { heading: 'TIME', width: 18, cell: (row) => timeWords(row, now, look) },
  { heading: 'TRY', width: 3, align: 'right', cell: ({ attempt }) => String(attempt) },
  { heading: 'FOR', width: null, cell: ({ request }) => orderWords(request) },
]

function timeWords({ request, rung }: Confirmation, now: number, { glyphs, medium }: Look): Line {
  const { waiting } = request
  if (rung.outcome !== 'asked' || waiting === null) return line(span(`${ago(now - rung.at)} ago`, 'faint'))
  const left = waiting.deadline - now
  const allowed = waiting.deadline - waiting.askedAt
  if (medium === 'speech') return line(`${duration(left)} left of ${duration(allowed)}`)
  return line(span(`${bar(left / allowed, 8, glyphs)} `, 'busy'), span(`${duration(left)} left`, 'busy'))
}

/** The order that was last frozen, else what the taker asks for. */
function orderWords({ trail, terms }: Confirmation['request']): string {
  const asked = trail.findLast((entry) => entry.kind === 'asked')
  if (asked === undefined) return wordsOf(terms)
  return `${asked.order.optionAmount} for ${dollars(asked.order.premiumAmount)} ${wordsOf(terms)}`
}

function histogramLines(waits: readonly number[], look: Look, width: number): Line[] {
  const title = line(span(` time to sign, of the newest ${plural(waits.length, 'confirmation')}`, 'faint'))
  return [title, ...latencyHistogram(waits, look, Math.min(width, 70))].slice(0, HISTOGRAM_HEIGHT)
}
