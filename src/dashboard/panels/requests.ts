import { dollars, marketText, price, shortId, termsText, when } from '../format.ts'
import { line, span } from '../line.ts'
import { chainTime } from '../market.ts'
import { type Deal, dealOf, type RequestView } from '../request-view.ts'
import { questionOf, requestRows } from '../selectors.ts'
import { type Area, type Column, drawTable } from '../table.ts'
import { commandLine, type Theme } from '../theme.ts'
import type { Panel, Scene } from './panel.ts'
import { shortStatus, statusText, timeLeft } from './status.ts'

/** From these widths on there is room for the market and its expiry, and for whole sentences and what a trade costs. */
const FAIR = 80
const VAST = 150

/** The open requests, and those that closed lately. */
export const drawRequests: Panel = (scene, area) => {
  const { market, theme, filter, chosen } = scene
  const rows = requestRows(market, filter)
  const empty = emptyText(theme, filter, market.isComplete)
  return drawTable({ columns: columnsOf(scene, area), rows, chosen, theme, area, empty })
}

function columnsOf(scene: Scene, { width }: Area): Column<RequestView>[] {
  const { market, now, theme } = scene
  const { glyphs } = theme
  const expiry = ({ terms }: RequestView) => when(terms.option.expiryMs, chainTime(market, now))
  const figure = (heading: string, columns: number, of: (deal: Deal) => string): Column<RequestView> => ({
    heading,
    width: columns,
    align: 'right',
    cell: (request) => {
      const deal = dealOf(request, now)
      return deal === null ? span('-', 'faint') : span(of(deal), 'strong')
    },
  })
  const id: Column<RequestView> = {
    heading: 'REQUEST',
    width: 8,
    cell: ({ requestId }) => span(shortId(requestId), 'title'),
  }
  const best = figure('BEST', 6, (deal) => price(deal.price))
  const short: Column<RequestView> = {
    heading: 'STANDING',
    width: 17,
    cell: (request) => shortStatus(request, now, glyphs),
  }
  const asks: Column<RequestView> = {
    heading: 'ASKS',
    width: width < FAIR ? null : 19,
    cell: ({ terms }) => termsText(terms),
  }
  if (width < FAIR) return [id, asks, best, short]
  const what: Column<RequestView> = {
    heading: 'MARKET',
    width: null,
    cell: ({ terms }) => marketText(questionOf(market, terms)),
  }
  if (width < VAST) {
    const expires = (request: RequestView) => expiry(request).replace(/^in /, '')
    return [id, asks, what, { heading: 'EXPIRES', width: 7, align: 'right', cell: expires }, best, short]
  }
  return [
    id,
    asks,
    what,
    { heading: 'EXPIRES', width: 11, align: 'right', cell: expiry },
    best,
    figure('FILLS', 7, (deal) => String(deal.contracts)),
    figure('PREMIUM', 9, (deal) => dollars(deal.premium)),
    { heading: 'QUOTES', width: 6, align: 'right', cell: (request) => quoteCountText(request, theme) },
    { heading: 'STANDING', width: 28, cell: (request) => statusText(request, now, glyphs) },
    { heading: 'LEFT', width: 6, align: 'right', cell: (request) => timeLeft(request, now) },
  ]
}

function quoteCountText({ quotes, hiddenQuotes, refusals }: RequestView, { glyphs, medium }: Theme) {
  const count = String(quotes.size + hiddenQuotes)
  if (refusals.length === 0) return count
  if (medium === 'speech') return `${count}, ${refusals.length} refused`
  return line(span(`${glyphs.bad}${refusals.length} `, 'bad'), count)
}

const emptyText = (theme: Theme, filter: string, isComplete: boolean): string[] => {
  if (filter !== '') return [`No request matches "${filter}".`]
  if (!isComplete) return ['Reading the open requests.']
  return [
    'No request is open. One appears when a taker asks for quotes:',
    `  ${commandLine(theme, 'taker request @1 --budget 100')}`,
  ]
}
