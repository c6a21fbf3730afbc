import { price, shortId, wordsOf } from '../format.ts'
import { line, span } from '../line.ts'
import { commandLine, type Look } from '../look.ts'
import { bestQuote, type RequestView } from '../request-view.ts'
import { requestRows } from '../selectors.ts'
import { type Column, drawTable } from '../table.ts'
import type { Panel } from './panel.ts'
import { standingWords, timeLeft } from './standing.ts'

/** The open requests, and those that closed lately. */
export const drawRequests: Panel = ({ market, now, look, filter, chosen }, area) => {
  const { glyphs } = look
  const columns: Column<RequestView>[] = [
    { heading: 'REQUEST', width: 8, cell: ({ requestId }) => span(shortId(requestId), 'title') },
    { heading: 'ASKS', width: null, cell: ({ terms }) => wordsOf(terms) },
    {
      heading: 'BEST',
      width: 6,
      align: 'right',
      cell: (request) => {
        const best = bestQuote(request, now)
        return best === null ? span('-', 'faint') : span(price(best.price), 'strong')
      },
    },
    {
      heading: 'QUOTES',
      width: 6,
      align: 'right',
      cell: ({ quotes, hiddenQuotes, refusals }) => {
        const count = String(quotes.size + hiddenQuotes)
        if (refusals.length === 0) return count
        if (look.medium === 'speech') return `${count}, ${refusals.length} refused`
        return line(span(`${glyphs.bad}${refusals.length} `, 'bad'), count)
      },
    },
    { heading: 'STANDING', width: 19, cell: (request) => standingWords(request, now, glyphs) },
    {
      heading: 'LEFT',
      width: 6,
      align: 'right',
      cell: (request) => timeLeft(request, now),
    },
  ]
  return drawTable({
    columns,
    rows: requestRows(market, filter),
    chosen,
    look,
    area,
    empty: emptyWords(look, filter, market.isComplete),
  })
}

const emptyWords = (look: Look, filter: string, isComplete: boolean): string[] => {
  if (filter !== '') return [`No request matches "${filter}".`]
  if (!isComplete) return ['Reading the open requests.']
  return [
    'No request is open. One appears when a taker asks for quotes:',
    `  ${commandLine(look, 'taker request @1 --budget 100')}`,
  ]
}
