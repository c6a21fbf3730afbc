import type { SeriesProgress } from '@rfqctl/client/index'
import {
  countdown,
  marketText,
  markText,
  optionText,
  plural,
  resolution as priceOf,
  priceText,
  shortId,
  when,
} from '@rfqctl/lib/format'
import { utcText } from '@rfqctl/protocol/domain/safe-text'
import { isDisputable } from '@rfqctl/protocol/domain/series'
import { type Line, line, type Span, type Style, span } from '../line.ts'
import { chainTime } from '../market.ts'
import { seriesRows } from '../selectors.ts'
import { commandLine, type Glyphs, type Theme } from '../theme.ts'
import { figure, type Scene, type TableView } from './view.ts'

export const SETTLEMENT = {
  columns: {
    series: {
      heading: 'SERIES',
      cell: ({ series, question }) =>
        line(
          span(`${optionText(series, 'column')} `, 'title'),
          question === null ? shortId(series.seriesId, 'column') : marketText(question),
        ),
    },
    expiry: figure('EXPIRY', ({ series }, { market, now }) => when(series.expiry * 1_000, chainTime(market, now))),
    phase: { heading: 'PHASE', cell: ({ phase }, { theme }) => phaseText(phase, theme.glyphs) },
    points: figure('POINTS', ({ pointCount }) => (pointCount === 0 ? '-' : String(pointCount))),
    mark: figure('MARK', ({ mark }) => (mark === null ? span('-', 'faint') : markText(mark, 'column'))),
    twap: figure('TWAP', ({ twap }) => (twap === null ? '-' : twap.toFixed(4))),
    prices: { heading: 'PRICES', cell: () => '', values: ({ points }) => points.map(({ p }) => p) },
    result: figure('RESULT', ({ resolution }) =>
      resolution === null ? '-' : span(priceOf(resolution.resolutionBps), 'strong'),
    ),
    by: { heading: 'BY', cell: ({ resolution }) => resolution?.method ?? '-' },
  },
  rowsOf: ({ market, filter }) => seriesRows(market, filter),
  idOf: ({ series }) => series.seriesId,
  empty: ({ theme, filter }) =>
    filter === ''
      ? [
          'No series is registered. One appears when it is created on chain:',
          { command: commandLine(theme, 'series create @1 --help') },
        ]
      : [`No series matches "${filter}".`],
} as const satisfies TableView<SeriesProgress>

export function seriesDetail(
  progress: SeriesProgress,
  { market, now, theme }: Scene,
): { title: Line; expires: Line; meaning: Span; worth: Line | null } {
  const { series, question, phase } = progress
  const expiry = series.expiry * 1_000
  const chainNow = chainTime(market, now)
  return {
    title: line(span(`${optionText(series)} `, 'title'), question ?? 'a market without a name'),
    expires: line(`expires ${utcText(expiry)}, ${when(expiry, chainNow)}`),
    meaning: span(meaningOf(progress, chainNow, theme), phase === 'review' ? 'bad' : null),
    worth: worthLine(progress),
  }
}

/** The worth of one option, and its payout at the present YES price; null where neither is known. */
export function worthLine({ mark, intrinsic }: Pick<SeriesProgress, 'mark' | 'intrinsic'>): Line | null {
  if (mark === null && intrinsic === null) return null
  return line(
    ...(mark === null ? [span('no mark', 'faint')] : [span('mark ', 'faint'), span(markText(mark), 'strong')]),
    span(`, intrinsic value ${intrinsic === null ? 'not known' : priceText(intrinsic)}, per option`, 'faint'),
  )
}

const PHASES: Readonly<Record<SeriesProgress['phase'], [sign: keyof Glyphs, Style | null]>> = {
  trading: ['live', null],
  window: ['busy', 'busy'],
  due: ['busy', 'busy'],
  resolved: ['good', 'good'],
  review: ['warning', 'bad'],
  settled: ['lost', 'faint'],
}

function phaseText(phase: SeriesProgress['phase'], glyphs: Glyphs): Span {
  const [sign, style] = PHASES[phase]
  return span(`${glyphs[sign]} ${phase}`, style)
}

function meaningOf(progress: SeriesProgress, chainNow: number, theme: Theme): string {
  const { phase, series, pointCount, twap, resolution, review } = progress
  const points = `${plural(pointCount, 'price point')}${twap === null ? '' : `, average ${twap.toFixed(4)}`}`
  if (series.vetoed === true && phase !== 'settled') return VETOED
  switch (phase) {
    case 'trading':
      return `the settlement window opens in ${countdown(series.expiry * 1_000 - 1_800_000 - chainNow)}`
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
    : `${priceOf(resolution.resolutionBps)}${resolution.method === null ? '' : ` by ${resolution.method}`}`
