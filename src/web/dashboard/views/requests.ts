import { marketText, markText, priceText, shortId, termsText, usd, when } from '@rfqctl/lib/format'
import { line, span } from '../line.ts'
import { chainTime } from '../market.ts'
import { type Deal, dealOf, type RequestView } from '../request-view.ts'
import { questionOf, requestRows } from '../selectors.ts'
import { commandLine } from '../theme.ts'
import { statusText, timeLeft } from './status.ts'
import { bidAsk, type Cell, type Column, figure, type Scene, type TableView } from './view.ts'

const ofDeal = (heading: string, of: (deal: Deal, scene: Scene) => Cell | null): Column<RequestView> =>
  figure(heading, (request, scene) => {
    const deal = dealOf(request, scene.now)
    const cell = deal === null ? null : of(deal, scene)
    if (cell === null) return span('-', 'faint')
    return typeof cell === 'string' ? span(cell, 'strong') : cell
  })

export const REQUESTS = {
  columns: {
    request: { heading: 'REQUEST', cell: ({ requestId }) => span(shortId(requestId, 'column'), 'title') },
    asks: { heading: 'ASKS', cell: ({ terms }) => termsText(terms) },
    market: { heading: 'MARKET', cell: ({ terms }, { market }) => marketText(questionOf(market, terms)) },
    expires: figure('EXPIRES', ({ terms }, { market, now }) => when(terms.option.expiryMs, chainTime(market, now))),
    best: ofDeal('BEST', ({ price, bid }, { theme }) =>
      bid === undefined ? priceText(price, 'column') : bidAsk({ price: bid }, { price }, theme),
    ),
    mark: figure('MARK', ({ seriesId }, { market }) => {
      const mark = market.series.get(seriesId)?.mark ?? null
      return mark === null ? span('-', 'faint') : markText(mark, 'column')
    }),
    fills: ofDeal('FILLS', (deal) => String(deal.contracts)),
    // The premium of a request for both sides depends on the side.
    premium: ofDeal('PREMIUM', ({ premium, bid }) => (bid === undefined ? usd(premium, 'column') : null)),
    quotes: figure('QUOTES', quoteCount),
    standing: { heading: 'STANDING', cell: (request, { now, theme }) => statusText(request, now, theme.glyphs) },
    left: figure('LEFT', (request, { now }) => timeLeft(request, now)),
  },
  rowsOf: ({ market, filter }) => requestRows(market, filter),
  idOf: ({ requestId }) => requestId,
  empty: ({ market, theme, filter }) => {
    if (filter !== '') return [`No request matches "${filter}".`]
    if (!market.isComplete) return ['Reading the open requests.']
    return [
      'No request is open. One appears when a taker asks for quotes:',
      { command: commandLine(theme, 'taker request @1 --budget 100') },
    ]
  },
} as const satisfies TableView<RequestView>

function quoteCount({ quotes, hiddenQuotes, refusals }: RequestView, { theme }: Scene): Cell {
  const count = String(quotes.size + hiddenQuotes)
  if (refusals.length === 0) return count
  if (theme.medium === 'speech') return `${count}, ${refusals.length} refused`
  return line(span(`${theme.glyphs.bad}${refusals.length} `, 'bad'), count)
}
