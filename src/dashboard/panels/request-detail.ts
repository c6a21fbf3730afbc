import { fillContracts, premiumOf } from '../../domain/quote.ts'
import { plural } from '../../lib/format.ts'
import { priceChart } from '../charts.ts'
import { ago, clockTime, dollars, duration, price, shortId, termsText, when } from '../format.ts'
import { fitLine, type Line, line, span, wrap } from '../line.ts'
import type { Market } from '../market.ts'
import { chainTime } from '../market.ts'
import { type RequestView, rankedQuotes } from '../request-view.ts'
import { questionOf } from '../selectors.ts'
import { type Area, type Column, drawTable, fill } from '../table.ts'
import type { Theme } from '../theme.ts'
import { eventText } from './events.ts'
import { candidateLines, statusSentence } from './status.ts'

type Input = { market: Market; request: RequestView; now: number; theme: Theme }

/** The request that is chosen: whom it waits for, its quotes best first, why others were refused, its price over time. */
export function drawRequestSummary(input: Input, area: Area): Line[] {
  const { theme, request } = input
  const head = headLines(input, area)
  const body = { width: area.width, height: area.height - head.length }
  const hasChart = request.dots.length + request.bests.length > 0 && body.height >= MIN_CHART_HEIGHT
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

/** The quotes, why others were refused, and the chart below them where there is room and it stands nowhere else. */
function bookLines(input: Input, area: Area, hasChart: boolean): Line[] {
  const refusals = refusalLines(input, area)
  const left = Math.max(0, area.height - refusals.length)
  // Where there is room for both, many quotes leave half of it to the chart.
  const most = hasChart && left > ROOMY_HEIGHT ? Math.ceil(left / 2) : left
  const quotes = drawQuotes(input, { width: area.width, height: Math.min(most, quoteLines(input)) })
  const rest = left - quotes.length
  const chart = hasChart && rest >= MIN_CHART_HEIGHT ? drawChart(input, { width: area.width, height: rest }) : []
  return fill([...quotes, ...refusals, ...chart], area)
}

/** The history of a request: its chart, its quotes, and everything that happened to it, newest first. */
export function drawRequestHistory(input: Input, scroll: number, area: Area): Line[] {
  const { width } = area
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

/** Everything that is known to have happened, newest first; a long sentence goes on under itself. */
function entryLines({ request, theme }: Input, width: number): Line[] {
  return request.auditLog.toReversed().flatMap((entry) => {
    const text = `${clockTime(entry.at)} ${eventText(entry, theme.glyphs).text}`
    const [first = '', ...rest] = wrap(text, width - 10, 3, theme.glyphs.ellipsis)
    return [line(` ${first}`), ...rest.map((part) => line(`          ${part}`))]
  })
}

/** A chart that is lower tells nothing. */
const MIN_CHART_HEIGHT = 3

/** From this width on the chart stands beside the quotes, which take so many columns. */
const WIDE = 118
const BOOK_WIDTH = 75

/** From this width on quotes are shown with what they cost and since when they stand. */
const ROOMY_WIDTH = 60

/** From this height on refusals are told at length. */
const ROOMY_HEIGHT = 14

/** A heading and a line for each live quote, or one line that says that there is none. */
const quoteLines = ({ request, now }: Input): number => {
  const count = rankedQuotes(request, now).length
  return count === 0 ? 1 : count + 1
}

function headLines({ market, request, now, theme }: Input, { width }: Area): Line[] {
  const { requestId, terms } = request
  const { glyphs } = theme
  const question = questionOf(market, terms) ?? 'no question given'
  const expiry = when(terms.option.expiryMs, chainTime(market, now))
  return [
    fitLine(
      line(
        span(` ${shortId(requestId)} `, 'title'),
        span(`${termsText(terms)}, ${expiry}  `, 'strong'),
        span(question, 'faint'),
      ),
      width,
      glyphs.ellipsis,
    ),
    [span(' '), ...statusSentence(request, now, theme)],
    ...candidateLines(request, now, glyphs, width),
  ]
}

const firmMark = ({ isFirm }: { isFirm?: true }) => (isFirm === true ? [span(' firm', 'good')] : [])

function drawQuotes({ market, request, now, theme }: Input, area: Area): Line[] {
  const { glyphs } = theme
  const ranked = rankedQuotes(request, now)
  const fills = (quote: (typeof ranked)[number]) => fillContracts(request.terms.trade, quote)
  const premium = (quote: (typeof ranked)[number]) => dollars(premiumOf(fills(quote), quote.price))
  const { closedAt } = request
  const since = ({ pricedAt }: (typeof ranked)[number]) => ago((closedAt ?? now) - pricedAt)
  const lasts = ({ expiresAt }: (typeof ranked)[number]) => (closedAt === null ? duration(expiresAt - now) : '-')
  // A quote that is in the book passed the solvency check; without a chain there is none (decision C12).
  const funds = market.mode === 'simulated' ? span('-', 'faint') : span(`${glyphs.good} ok`, 'good')
  const isRoomy = area.width >= ROOMY_WIDTH
  const bestMark = theme.medium === 'speech' ? 'best: ' : `${glyphs.best} `
  const columns: Column<(typeof ranked)[number]>[] = [
    {
      heading: 'MAKER',
      width: null,
      cell: (quote) =>
        quote === ranked[0]
          ? line(span(bestMark, 'busy'), span(quote.makerId, 'strong'), ...firmMark(quote))
          : line(span(`${' '.repeat(bestMark.length)}${quote.makerId}`), ...firmMark(quote)),
    },
    {
      heading: 'PRICE',
      width: 6,
      align: 'right',
      cell: (quote) => span(price(quote.price), quote === ranked[0] ? 'strong' : null),
    },
    { heading: 'FILLS', width: 5, align: 'right', cell: (quote) => String(fills(quote)) },
    ...(isRoomy ? [{ heading: 'PREMIUM', width: 9, align: 'right', cell: premium } as const] : []),
    { heading: 'FUNDS', width: 5, cell: () => funds },
    ...(isRoomy ? [{ heading: 'SINCE', width: 6, align: 'right', cell: since } as const] : []),
    { heading: 'LEFT', width: 6, align: 'right', cell: lasts },
  ]
  const empty =
    request.status === 'open'
      ? 'No live quote: makers answer while the request is open.'
      : 'No quote was live when the request closed.'
  return drawTable({ columns, rows: ranked, chosen: null, empty: [empty], theme, area })
}

/** The newest refusals, with all that the relay said where there is room. */
function refusalLines({ request, now, theme }: Input, { width, height }: Area): Line[] {
  const { bad, ellipsis } = theme.glyphs
  const most = height > ROOMY_HEIGHT ? 4 : 2
  const shown = request.refusals.slice(-2).toReversed()
  const lines = shown.flatMap(({ makerId, at, code, detail }) => {
    const text = `${bad} ${makerId} refused ${ago(now - at)} ago, ${code}: ${detail}`
    return wrap(text, width - 2, most, ellipsis).map((part) => line(' ', span(part, 'bad')))
  })
  const more = request.refusals.length - shown.length
  return more > 0 ? [...lines, line(span(`   and ${plural(more, 'refusal')} before`, 'faint'))] : lines
}

const drawChart = ({ request, now, theme }: Input, area: Area): Line[] => {
  const { dots, bests, openedAt, closedAt } = request
  return priceChart({ dots, bests, from: openedAt, to: closedAt ?? now }, theme, area)
}
