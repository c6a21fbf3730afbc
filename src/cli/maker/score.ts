import type { MakerBotEvent } from '../../bots/maker-events.ts'
import type { Statement } from '../../bots/portfolio.ts'
import { usd6ToNumber } from '../../client/index.ts'
import type { SimulatedMaker } from '../../sandbox/traders/run-makers.ts'
import type { Colors } from '../terminal/colors.ts'
import { gain } from '../terminal/format.ts'
import { tableLines } from '../terminal/table.ts'

/** What a simulated maker did so far; `statement` is null before its first trade. */
export type Score = { quoted: number; asked: number; signed: number; won: number; statement: Statement | null }

/** The score of a maker that has done nothing. */
export const NO_SCORE: Score = { quoted: 0, asked: 0, signed: 0, won: 0, statement: null }

/** Counts what a maker told of itself. */
export function score(now: Score, event: MakerBotEvent): Score {
  if (event.kind === 'marked') return { ...now, statement: event.statement }
  const { kind } = event
  return kind === 'quoted' || kind === 'asked' || kind === 'signed' || kind === 'won'
    ? { ...now, [kind]: now[kind] + 1 }
    : now
}

type Scored = { maker: SimulatedMaker; score: Score }

/** What each maker of a run did, for programs; money in dollars. */
export const scoresJson = (all: readonly Scored[]) => ({
  type: 'summary',
  makers: all.map(({ maker: { wallet, style }, score: { statement, ...counts } }) => ({
    maker: wallet.name,
    style,
    ...counts,
    total: statement === null ? 0 : usd6ToNumber(statement.total),
  })),
})

/** What each maker of a run did, for people. */
export const scoreLines = (all: readonly Scored[], colors: Colors): string[] => [
  '',
  ...tableLines(
    [
      { heading: 'MAKER', cell: ({ maker }: Scored) => maker.wallet.name },
      { heading: 'STYLE', cell: ({ maker }) => maker.style },
      { heading: 'QUOTES', cell: ({ score: { quoted } }) => String(quoted), align: 'right' },
      { heading: 'ASKED', cell: ({ score: { asked } }) => String(asked), align: 'right' },
      { heading: 'SIGNED', cell: ({ score: { signed } }) => String(signed), align: 'right' },
      { heading: 'WON', cell: ({ score: { won } }) => String(won), align: 'right' },
      {
        heading: 'P&L',
        cell: ({ score: { statement } }) => (statement === null ? '-' : gain(statement.total)),
        align: 'right',
      },
    ],
    all,
    { colors, width: null },
  ),
]
