import type { MakerStanding } from '@rfqctl/client/index'
import { age, latency, percent, plural } from '@rfqctl/lib/format'
import { type Line, line, type Span, span } from '../line.ts'
import { isConnected, makerRows } from '../selectors.ts'
import { commandLine, type Theme } from '../theme.ts'
import { type Column, figure, type Scene, type TableView } from './view.ts'

/** Scores below the first are trouble, below the second worth a look. */
const BAD_SCORE = 50
const FAIR_SCORE = 90

const count = (heading: string, of: (maker: MakerStanding) => number): Column<MakerStanding> =>
  figure(heading, (maker) => String(of(maker)))

export const MAKERS = {
  columns: {
    maker: { heading: 'MAKER', cell: ({ makerId }) => span(makerId, 'title') },
    link: { heading: 'LINK', cell: (maker, { theme }) => linkText(maker, theme) },
    score: {
      ...figure('SCORE', ({ score }) => scoreText(score)),
      share: ({ score }) => (score === null ? null : score / 100),
    },
    hit: figure('HIT', ({ hitRate }) => percent(hitRate)),
    quotes: count('QUOTES', ({ quotes }) => quotes),
    asked: count('ASKED', ({ asked }) => asked),
    missed: figure('MISSED', ({ missed }) => span(String(missed), missed > 0 ? 'bad' : null)),
    p50: figure('P50', ({ confirmP50Ms }) => latency(confirmP50Ms)),
    p99: figure('P99', ({ confirmP99Ms }) => latency(confirmP99Ms)),
    declined: count('DECLINED', ({ declined }) => declined),
    refused: count('REFUSED', ({ refused }) => refused),
    refusal: { heading: 'LAST REFUSAL', cell: ({ lastRefusal }) => lastRefusal?.code ?? '' },
  },
  rowsOf: ({ market, filter }) => makerRows(market, filter),
  idOf: ({ makerId }) => makerId,
  empty: ({ theme, filter }) =>
    filter === ''
      ? [
          'No maker yet. One appears when it connects with its key:',
          { command: commandLine(theme, 'maker simulate --count 3') },
        ]
      : [`No maker matches "${filter}".`],
} as const satisfies TableView<MakerStanding>

export function makerDetail(maker: MakerStanding, { now, theme }: Scene): { title: Line; record: Line; refusal: Span } {
  const { makerId, streams, sockets, asked, confirmed, declined, missed, demotedUntil, suspendedUntil } = maker
  const { refused, lastRefusal, lastQuoteAt } = maker
  const lastQuote = lastQuoteAt === null ? 'never quoted' : `last quote ${age(now - lastQuoteAt)} ago`
  const links = `${plural(streams, 'stream')}, ${plural(sockets, 'socket')}`
  const rank = suspendedUntil !== null ? '; suspended' : demotedUntil === null ? '' : '; ranks behind all others'
  const record = `asked ${asked}: ${confirmed} confirmed, ${declined} declined, ${missed} missed${rank}`
  return {
    title: line(span(`${makerId} `, 'title'), `${links}; ${lastQuote}`),
    record: line(`${record}; ${plural(refused, 'quote')} refused`),
    refusal:
      lastRefusal === null
        ? span('no quote refused', 'faint')
        : span(
            `${theme.glyphs.bad} last refusal ${age(now - lastRefusal.at)} ago, ${lastRefusal.code}: ${lastRefusal.detail}`,
            'bad',
          ),
  }
}

const linkText = (maker: MakerStanding, { glyphs }: Theme): Span =>
  isConnected(maker) ? span(`${glyphs.live} live`, 'good') : span(`${glyphs.lost} away`, 'faint')

function scoreText(score: number | null): Span {
  if (score === null) return span('-', 'faint')
  return span(String(score), score < BAD_SCORE ? 'bad' : score < FAIR_SCORE ? 'busy' : 'good')
}
