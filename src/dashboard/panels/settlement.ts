import type { SeriesProgress } from '../../client/index.ts'
import { isDisputable } from '../../domain/series.ts'
import { plural } from '../../lib/format.ts'
import { sparkline } from '../charts.ts'
import { clockTime, duration, marketText, optionText, shortId, when } from '../format.ts'
import { type Line, line, type Span, span, wrap } from '../line.ts'
import { chainTime } from '../market.ts'
import { seriesRows } from '../selectors.ts'
import { type Area, type Column, drawTable, fill } from '../table.ts'
import { commandLine, type Glyphs, type Theme } from '../theme.ts'
import type { Panel } from './panel.ts'

/** From these widths on there is room for the prices of the window as a line, and for a long one. */
const WIDE = 100
const VAST = 150

/** Lines of the chosen series below the table. */
const DETAIL_HEIGHT = 5

/** Series on their way to settlement: expiry, points of the open window, resolution, and what waits for a person. */
export const drawSettlement: Panel = ({ market, now, theme, filter, chosen }, area) => {
  const chainNow = chainTime(market, now)
  const rows = seriesRows(market, filter)
  const progress = rows[chosen]
  const detail = progress === undefined ? [] : seriesDetail(progress, chainNow, theme, area)
  const empty =
    filter === ''
      ? [
          'No series is registered. One appears when it is created on chain:',
          `  ${commandLine(theme, 'series create @1 --help')}`,
        ]
      : [`No series matches "${filter}".`]
  const table = drawTable({
    columns: columnsOf(chainNow, theme, area),
    rows,
    chosen,
    empty,
    theme,
    area: { width: area.width, height: area.height - detail.length },
  })
  return fill([...table, ...detail], area)
}

const columnsOf = (chainNow: number, { glyphs, medium }: Theme, { width }: Area): Column<SeriesProgress>[] => [
  {
    heading: 'SERIES',
    width: null,
    cell: ({ series, question }) =>
      line(
        span(`${optionText(series)} `, 'title'),
        question === null ? shortId(series.seriesId) : marketText(question),
      ),
  },
  { heading: 'EXPIRY', width: 11, align: 'right', cell: ({ series }) => when(series.expiry * 1_000, chainNow) },
  { heading: 'PHASE', width: 10, cell: ({ phase }) => phaseText(phase, glyphs) },
  {
    heading: 'POINTS',
    width: 6,
    align: 'right',
    cell: ({ pointCount }) => (pointCount === 0 ? '-' : String(pointCount)),
  },
  { heading: 'TWAP', width: 6, align: 'right', cell: ({ twap }) => (twap === null ? '-' : twap.toFixed(4)) },
  ...(medium === 'speech' || width < WIDE ? [] : [pricesColumn(width < VAST ? 12 : 30, glyphs)]),
  {
    heading: 'RESULT',
    width: 6,
    align: 'right',
    cell: ({ resolution }) => (resolution === null ? '-' : span((resolution.resolutionBps / 100).toFixed(2), 'strong')),
  },
]

function pricesColumn(columns: number, glyphs: Glyphs): Column<SeriesProgress> {
  const prices = ({ points }: SeriesProgress) => points.map(({ p }) => p)
  return { heading: 'PRICES', width: columns, cell: (progress) => sparkline(prices(progress), columns, glyphs) }
}

function phaseText(phase: SeriesProgress['phase'], { live, busy, good, warning, lost }: Glyphs): Span {
  switch (phase) {
    case 'trading':
      return span(`${live} trading`)
    case 'window':
      return span(`${busy} window`, 'busy')
    case 'due':
      return span(`${busy} due`, 'busy')
    case 'resolved':
      return span(`${good} resolved`, 'good')
    case 'review':
      return span(`${warning} review`, 'bad')
    case 'settled':
      return span(`${lost} settled`, 'faint')
  }
}

function seriesDetail(progress: SeriesProgress, chainNow: number, theme: Theme, { width }: Area): Line[] {
  const { series, question } = progress
  const expiry = series.expiry * 1_000
  return fill(
    [
      [],
      line(span(` ${optionText(series)} `, 'title'), question ?? 'a market without a name'),
      line(
        ` expires ${new Date(expiry).toISOString().slice(0, 10)} ${clockTime(expiry)} UTC, ${when(expiry, chainNow)}`,
      ),
      ...wrap(meaningOf(progress, chainNow, theme), width - 2, 2, theme.glyphs.ellipsis).map((text) =>
        line(' ', span(text, progress.phase === 'review' ? 'bad' : null)),
      ),
    ],
    { width, height: theme.medium === 'speech' ? Number.POSITIVE_INFINITY : DETAIL_HEIGHT },
  )
}

/** What a phase means and what comes next. */
function meaningOf(progress: SeriesProgress, chainNow: number, theme: Theme): string {
  const { phase, series, pointCount, twap, resolution, review } = progress
  const points = `${plural(pointCount, 'price point')}${twap === null ? '' : `, average ${twap.toFixed(4)}`}`
  if (series.vetoed === true && phase !== 'settled') return VETOED
  switch (phase) {
    case 'trading':
      return `the settlement window opens in ${duration(series.expiry * 1_000 - 1_800_000 - chainNow)}`
    case 'window':
      return `the settlement window is open: ${points} so far`
    case 'due':
      return `expired, not resolved yet (${points}): ${commandLine(theme, 'settle prepare')}`
    case 'resolved':
      return `resolved at ${resolved(resolution)}, not on chain yet: ${commandLine(theme, 'settle submit')}`
    case 'review':
      return `waits for a person: ${review?.reason ?? 'no usable price'}; ${commandLine(theme, 'settle review list')}`
    case 'settled':
      return isDisputable(series, chainNow / 1_000)
        ? `settled on chain at ${resolved(resolution)}: claims open ${when((series.finalAt ?? 0) * 1_000, chainNow)}, unless the guardian takes the price back`
        : `settled on chain at ${resolved(resolution)}`
  }
}

const VETOED = 'its price was taken back on chain: the owner of the core must propose one'

const resolved = (resolution: SeriesProgress['resolution']): string =>
  resolution === null
    ? 'an unknown price'
    : `${(resolution.resolutionBps / 100).toFixed(2)}${resolution.method === null ? '' : ` by ${resolution.method}`}`
