import { clockTime, shortId } from '../format.ts'
import { line, span } from '../line.ts'
import type { Happening } from '../market.ts'
import { happeningRows } from '../selectors.ts'
import { type Column, drawTable } from '../table.ts'
import { happeningWords } from './happening.ts'
import type { Panel } from './panel.ts'

/** Everything that happens to requests, newest first. */
export const drawEvents: Panel = ({ market, look, filter, chosen }, area) => {
  const columns: Column<Happening>[] = [
    { heading: 'UTC', width: 8, cell: ({ entry }) => span(clockTime(entry.at), 'faint') },
    { heading: 'REQUEST', width: 8, cell: ({ entry }) => span(shortId(entry.requestId), 'title') },
    {
      heading: 'WHAT',
      width: null,
      cell: ({ entry }) => {
        const { words, style } = happeningWords(entry, look.glyphs)
        return line(span(words, style))
      },
    },
  ]
  const empty =
    filter === ''
      ? ['No event yet.', 'Every request, quote, refusal, commit and confirmation appears here.']
      : [`No event matches "${filter}".`]
  return drawTable({ columns, rows: happeningRows(market, filter), chosen, empty, look, area })
}
