import type { MakerStanding } from '../../client/index.ts'
import { plural } from '../../lib/format.ts'
import { bar } from '../charts.ts'
import { ago, latency, percent } from '../format.ts'
import { type Line, line, type Span, span, wrap } from '../line.ts'
import { isConnected, makerRows } from '../selectors.ts'
import { type Area, type Column, drawTable, fill } from '../table.ts'
import { commandLine, type Theme } from '../theme.ts'
import type { Panel } from './panel.ts'

/** From these widths on there is room for what is rarely needed. */
const WIDE = 96
const VAST = 126

/** A score below this is trouble, below the other worth a look. */
const BAD_SCORE = 50
const FAIR_SCORE = 90

/** Lines of the chosen maker below the table. */
const DETAIL_HEIGHT = 5

/** Who makes the market: connected or not, how much of it, and how far it can be relied on. */
export const drawMakers: Panel = ({ market, now, theme, filter, chosen }, area) => {
  const rows = makerRows(market, filter)
  const maker = rows[chosen]
  const detail = maker === undefined ? [] : makerDetail(maker, now, theme, area)
  const empty =
    filter === ''
      ? [
          'No maker yet. One appears when it connects with its key:',
          `  ${commandLine(theme, 'maker simulate --count 3')}`,
        ]
      : [`No maker matches "${filter}".`]
  const table = drawTable({
    columns: columnsOf(theme, area),
    rows,
    chosen,
    empty,
    theme,
    area: { width: area.width, height: area.height - detail.length },
  })
  return fill([...table, ...detail], area)
}

function columnsOf(theme: Theme, { width }: Area): Column<MakerStanding>[] {
  const count = (heading: string, of: (maker: MakerStanding) => number): Column<MakerStanding> => ({
    heading,
    width: heading.length,
    align: 'right',
    cell: (maker) => String(of(maker)),
  })
  const figure = (heading: string, columns: number, of: (maker: MakerStanding) => string): Column<MakerStanding> => ({
    heading,
    width: columns,
    align: 'right',
    cell: of,
  })
  return [
    { heading: 'MAKER', width: null, cell: ({ makerId }) => span(makerId, 'title') },
    { heading: 'LINK', width: 6, cell: (maker) => linkText(maker, theme) },
    { heading: 'SCORE', width: 5, align: 'right', cell: ({ score }) => scoreText(score) },
    figure('HIT', 4, ({ hitRate }) => percent(hitRate)),
    count('QUOTES', ({ quotes }) => quotes),
    count('ASKED', ({ asked }) => asked),
    {
      heading: 'MISSED',
      width: 6,
      align: 'right',
      cell: ({ missed }) => span(String(missed), missed > 0 ? 'bad' : null),
    },
    figure('P50', 5, ({ confirmP50Ms }) => latency(confirmP50Ms)),
    figure('P99', 5, ({ confirmP99Ms }) => latency(confirmP99Ms)),
    ...(width < WIDE
      ? []
      : [count('DECLINED', ({ declined }) => declined), count('REFUSED', ({ refused }) => refused)]),
    ...(width < VAST
      ? []
      : [{ heading: 'LAST REFUSAL', width: 30, cell: ({ lastRefusal }: MakerStanding) => lastRefusal?.code ?? '' }]),
  ]
}

const linkText = (maker: MakerStanding, { glyphs }: Theme): Span =>
  isConnected(maker) ? span(`${glyphs.live} live`, 'good') : span(`${glyphs.lost} away`, 'faint')

function scoreText(score: number | null): Span {
  if (score === null) return span('-', 'faint')
  return span(String(score), score < BAD_SCORE ? 'bad' : score < FAIR_SCORE ? 'busy' : 'good')
}

function makerDetail(maker: MakerStanding, now: number, { glyphs, medium }: Theme, { width }: Area): Line[] {
  const { makerId, streams, sockets, score, asked, confirmed, declined, missed, demotedUntil, suspendedUntil } = maker
  const { refused, lastRefusal, lastQuoteAt } = maker
  const scoreBar = score === null || medium === 'speech' ? '' : ` ${bar(score / 100, width < WIDE ? 10 : 20, glyphs)}`
  const lastQuote = lastQuoteAt === null ? 'never quoted' : `last quote ${ago(now - lastQuoteAt)} ago`
  const links = `${plural(streams, 'stream')}, ${plural(sockets, 'socket')}`
  const rank = suspendedUntil !== null ? '; suspended' : demotedUntil === null ? '' : '; ranks behind all others'
  const record = `asked ${asked}: ${confirmed} confirmed, ${declined} declined, ${missed} missed${rank}`
  const refusal =
    lastRefusal === null
      ? ['no quote refused']
      : wrap(
          `${glyphs.bad} last refusal ${ago(now - lastRefusal.at)} ago, ${lastRefusal.code}: ${lastRefusal.detail}`,
          width - 2,
          2,
          glyphs.ellipsis,
        )
  return fill(
    [
      [],
      line(span(` ${makerId} `, 'title'), `${links}; ${lastQuote}`),
      line(` ${record}; ${plural(refused, 'quote')} refused`, span(scoreBar, 'good')),
      ...refusal.map((text) => line(' ', span(text, lastRefusal === null ? 'faint' : 'bad'))),
    ],
    { width, height: medium === 'speech' ? Number.POSITIVE_INFINITY : DETAIL_HEIGHT },
  )
}
