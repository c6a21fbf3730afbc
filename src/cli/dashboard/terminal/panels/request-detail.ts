import { priceRange } from '@rfqctl/web/dashboard/charts'
import { type Line, line, span } from '@rfqctl/web/dashboard/line'
import type { RequestView } from '@rfqctl/web/dashboard/request-view'
import { BOOK, type BookRow, type RequestDetail, requestDetail } from '@rfqctl/web/dashboard/views/request-detail'
import type { Scene } from '@rfqctl/web/dashboard/views/view'
import { bar, priceChart } from '../charts.ts'
import { fitLine, indented, wrap } from '../fit.ts'
import { type Area, drawTable, fill, type PlacedColumn, placed, priceWidth } from '../table.ts'
import { drawLadder } from './ladder.ts'

type Input = { scene: Scene; request: RequestView; detail: RequestDetail }

const inputOf = (request: RequestView, scene: Scene): Input => ({
  scene,
  request,
  detail: requestDetail(request, scene),
})

/** The chosen request: the makers it waits for, its quotes best first, refusals, and its price over time. */
export function drawRequestSummary(request: RequestView, scene: Scene, area: Area): Line[] {
  const { theme } = scene
  const input = inputOf(request, scene)
  const head = headLines(input, area)
  const body = { width: area.width, height: area.height - head.length }
  const hasChart = priceRange(input.detail.prices) !== null && body.height >= MIN_CHART_HEIGHT
  if (theme.medium === 'speech' || !hasChart || area.width < WIDE)
    return fill([...head, ...bookLines(input, body, hasChart)], area)
  const left = { width: BOOK_WIDTH, height: body.height }
  const right = { width: area.width - left.width - 1, height: body.height }
  const chart = drawChart(input, right)
  const beside = bookLines(input, left, false).map((drawn, i) => [
    ...fitLine(drawn, left.width, theme.glyphs.ellipsis),
    span(theme.glyphs.divider, 'faint'),
    ...(chart[i] ?? []),
  ])
  return fill([...head, ...beside], area)
}

/** The chart is below the quotes and refusals only where there is room and it is not beside them. */
function bookLines(input: Input, area: Area, hasChart: boolean): Line[] {
  const refusals = refusalLines(input, area)
  const left = Math.max(0, area.height - refusals.length)
  // With room for both, many quotes leave half of it to the chart.
  const most = hasChart && left > ROOMY_HEIGHT ? Math.ceil(left / 2) : left
  const quotes = drawQuotes(input, { width: area.width, height: Math.min(most, quoteLines(input)) })
  const rest = left - quotes.length
  const chart = hasChart && rest >= MIN_CHART_HEIGHT ? drawChart(input, { width: area.width, height: rest }) : []
  return fill([...quotes, ...refusals, ...chart], area)
}

/** The chart and quotes of a request, and all its events, newest first. */
export function drawRequestHistory(request: RequestView, scene: Scene, area: Area, scroll: number): Line[] {
  const { width } = area
  const input = inputOf(request, scene)
  const head = headLines(input, area)
  const left = area.height - head.length
  const chart = drawChart(input, { width, height: Math.floor(left * (left > ROOMY_HEIGHT * 1.5 ? 0.45 : 0.25)) })
  const quotes = drawQuotes(input, { width, height: Math.min(quoteLines(input), Math.floor(left / 3)) })
  const auditLog = entryLines(input, width)
  const shown = Math.max(1, left - chart.length - quotes.length - 1)
  const from = Math.min(scroll, Math.max(0, auditLog.length - shown))
  const to = Math.min(auditLog.length, from + shown)
  const title = ` what happened, newest first (${from + 1}-${to} of ${auditLog.length})`
  return fill([...head, ...chart, ...quotes, line(span(title, 'faint')), ...auditLog.slice(from, to)], area)
}

/** Newest first; a long sentence continues indented. */
function entryLines({ detail, scene }: Input, width: number): Line[] {
  return detail.history.flatMap(({ time, text }) => {
    const [first = '', ...rest] = wrap(`${time} ${text.text}`, width - 10, 3, scene.theme.glyphs.ellipsis)
    return [line(` ${first}`), ...rest.map((part) => line(`          ${part}`))]
  })
}

/** A lower chart is unreadable. */
const MIN_CHART_HEIGHT = 3

/** Columns: from WIDE on, the chart is beside the quotes, which take BOOK_WIDTH. */
const WIDE = 118
const BOOK_WIDTH = 75

/** From this width on, quotes show their cost and age. */
const ROOMY_WIDTH = 60

/** From this height on, refusals are shown in full. */
const ROOMY_HEIGHT = 14

/** A heading and a line per live quote, or one line without any. */
const quoteLines = ({ detail: { book } }: Input): number => (book.length === 0 ? 1 : book.length + 1)

function headLines({ scene, request, detail }: Input, { width }: Area): Line[] {
  const { now, theme } = scene
  const { glyphs } = theme
  return [
    fitLine(indented(detail.title), width, glyphs.ellipsis),
    [span(' '), ...statusLine(detail, theme)],
    ...(detail.worth === null ? [] : [fitLine(indented(detail.worth), width, glyphs.ellipsis)]),
    ...drawLadder(request, now, glyphs, width),
  ]
}

/** The state of the request and, while a maker signs, a bar that runs out. */
function statusLine({ status, waitShare }: RequestDetail, { glyphs, medium }: Scene['theme']): Line {
  const [first, ...rest] = status
  if (first === undefined || waitShare === null || medium === 'speech') return status
  return [{ ...first, text: `${first.text} ` }, ...rest, span(bar(waitShare, 8, glyphs), 'busy')]
}

function drawQuotes({ scene, detail }: Input, area: Area): Line[] {
  const { maker, price, fills, premium, funds, since, left } = BOOK
  const isRoomy = area.width >= ROOMY_WIDTH
  const columns: PlacedColumn<BookRow>[] = [
    placed(maker, scene, null),
    placed(price, scene, priceWidth<BookRow>(price, detail.book, scene)),
    placed(fills, scene, 5),
    ...(isRoomy ? [placed(premium, scene, 9)] : []),
    placed(funds, scene, 5),
    ...(isRoomy ? [placed(since, scene, 6)] : []),
    placed(left, scene, 6),
  ]
  return drawTable({ columns, rows: detail.book, chosen: null, empty: [detail.noQuote], theme: scene.theme, area })
}

/** The newest refusals, with the relay's whole message where there is room. */
function refusalLines({ detail, scene }: Input, { width, height }: Area): Line[] {
  const most = height > ROOMY_HEIGHT ? 4 : 2
  const lines = detail.refusals.flatMap(({ text, style }) =>
    wrap(text, width - 2, most, scene.theme.glyphs.ellipsis).map((part) => line(' ', span(part, style))),
  )
  return detail.moreRefusals === null ? lines : [...lines, indented([detail.moreRefusals], 3)]
}

const drawChart = ({ detail, scene }: Input, area: Area): Line[] => priceChart(detail.prices, scene.theme, area)
