import { age, clockTime, countdown, plural, priceText, shortId, termsText, usd, when } from '@rfqctl/lib/format'
import type { RankedQuote } from '@rfqctl/protocol/domain/best-quote'
import { fillContracts, premiumOf } from '@rfqctl/protocol/domain/quote'
import { onSide } from '@rfqctl/protocol/domain/request'
import { line, span } from '../line.ts'
import { chainTime } from '../market.ts'
import { bestBid, type RequestView, rankedQuotes } from '../request-view.ts'
import { questionOf } from '../selectors.ts'
import { eventText } from './events.ts'
import { worthLine } from './settlement.ts'
import { candidateParts, statusSentence, waitShare } from './status.ts'
import { bidAsk, type Cell, type Column, figure, type Scene } from './view.ts'

/** `isBestBid`: of all makers it pays the most, on a request for both sides. */
export type BookRow = RankedQuote & { request: RequestView; isBest: boolean; isBestBid: boolean }

export type RequestDetail = ReturnType<typeof requestDetail>

const REFUSALS_SHOWN = 2

export function requestDetail(request: RequestView, scene: Pick<Scene, 'market' | 'now' | 'theme'>) {
  const { market, now, theme } = scene
  const { requestId, seriesId, terms, openedAt, closedAt, dots, bests, bids, refusals, auditLog } = request
  const expiry = when(terms.option.expiryMs, chainTime(market, now))
  const series = market.series.get(seriesId)
  const bid = bestBid(request, now)?.quoteId
  const before = refusals.length - REFUSALS_SHOWN
  return {
    title: line(
      span(`${shortId(requestId, 'column')} `, 'title'),
      span(`${termsText(terms)}, ${expiry}  `, 'strong'),
      span(questionOf(market, terms) ?? 'no question given', 'faint'),
    ),
    status: statusSentence(request, now, theme),
    /** The mark and the intrinsic value of the series; null where the relay knows neither. */
    worth: series === undefined ? null : worthLine(series),
    /** Share of the signing time left, 0..1; null if no maker is awaited. */
    waitShare: waitShare(request, now),
    ladder: candidateParts(request, now, theme.glyphs),
    /** Live quotes, best first; `noQuote` stands in for an empty book. */
    book: rankedQuotes(request, now).map(
      (quote, i): BookRow => ({ ...quote, request, isBest: i === 0, isBestBid: quote.quoteId === bid }),
    ),
    noQuote:
      request.status === 'open'
        ? 'No live quote: makers answer while the request is open.'
        : 'No quote was live when the request closed.',
    /** Newest first; `moreRefusals` is null if all are shown. */
    refusals: refusals
      .slice(-REFUSALS_SHOWN)
      .toReversed()
      .map(({ makerId, at, code, detail }) =>
        span(`${theme.glyphs.bad} ${makerId} refused ${age(now - at)} ago, ${code}: ${detail}`, 'bad'),
      ),
    moreRefusals: before > 0 ? span(`and ${plural(before, 'refusal')} before`, 'faint') : null,
    prices: { dots, bests, bids, from: openedAt, to: closedAt ?? now },
    /** Newest first, each after its time. */
    history: auditLog
      .toReversed()
      .map((entry) => ({ time: clockTime(entry.at), text: eventText(entry, theme.glyphs) })),
  }
}

export const BOOK = {
  maker: { heading: 'MAKER', cell: makerCell },
  price: figure('PRICE', (quote, { theme }) => {
    const { price, otherPrice: bid, isBest, isBestBid } = quote
    return hasNoSide(quote) && bid !== undefined
      ? bidAsk({ price: bid, isBest: isBestBid }, { price, isBest }, theme)
      : span(priceText(price, 'column'), isBest ? 'strong' : null)
  }),
  fills: figure('FILLS', (quote) => String(fills(quote))),
  premium: figure('PREMIUM', (quote) =>
    hasNoSide(quote) ? span('-', 'faint') : usd(premiumOf(fills(quote), quote.price), 'column'),
  ),
  // A quote that is in the book passed the solvency check; without a chain there is none (decision C12).
  funds: {
    heading: 'FUNDS',
    cell: (_, { market, theme }) =>
      market.mode === 'simulated' ? span('-', 'faint') : span(`${theme.glyphs.good} ok`, 'good'),
  },
  since: figure('SINCE', ({ request, pricedAt }, { now }) => age((request.closedAt ?? now) - pricedAt)),
  left: figure('LEFT', ({ request, expiresAt }, { now }) =>
    request.closedAt === null ? countdown(expiresAt - now) : '-',
  ),
} as const satisfies Record<string, Column<BookRow>>

const fills = (quote: BookRow) => fillContracts(onSide(quote.request.terms, quote.side).trade, quote)

/** Whether no commit has named the side yet. */
const hasNoSide = ({ request }: BookRow): boolean => request.side === null

function makerCell(quote: BookRow, { theme: { glyphs, medium } }: Scene): Cell {
  const { makerId, isFirm } = quote
  const isBest = quote.isBest || quote.isBestBid
  const mark = medium === 'speech' ? `${bestWords(quote)}: ` : `${glyphs.best} `
  const firm = isFirm === true ? [span(' firm', 'good')] : []
  return isBest
    ? line(span(mark, 'busy'), span(makerId, 'strong'), ...firm)
    : line(span(`${' '.repeat(mark.length)}${makerId}`), ...firm)
}

function bestWords(quote: BookRow): string {
  if (!hasNoSide(quote)) return 'best'
  if (quote.isBest && quote.isBestBid) return 'best bid and ask'
  return quote.isBest ? 'best ask' : 'best bid'
}
