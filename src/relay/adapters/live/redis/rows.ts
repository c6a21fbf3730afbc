import type { RankedQuote } from '@rfqctl/protocol/domain/best-quote'
import { type FirmTerms, type Quote, quoteOn } from '@rfqctl/protocol/domain/quote'
import type { DemotedMaker } from '@rfqctl/protocol/domain/reliability'
import type { QuoteRequest, RequestStatus, Side } from '@rfqctl/protocol/domain/request'
import { contracts, type Usd6, usd6 } from '@rfqctl/protocol/domain/units'
import type { BookTop, QuoteKey } from '../../../core/ports/book.ts'

/** The quote in the form that its node writes; money is text, because Lua's numbers do not hold all of it. */
type Body = Pick<Quote, 'requestId' | 'makerId' | 'maker' | 'side' | 'expiresAt'> & {
  price: string
  /** The price on the other side in sortable form, first of the text, where `lua/rows.lua` looks for it. */
  bidRank?: string
  size: string
  /** The name of the first version: nodes of several versions read each other's rows. */
  frozen?: FirmTerms
}

/**
 * The widths of a row's fields, which the library knows by the same names: digits of the price of a single option and of
 * a package, and what is added to the misses of a demoted maker. A firm quote has one digit more behind its price.
 */
export const ROW_FIELDS = { PRICE_DIGITS: 7, PACKAGE_PRICE_DIGITS: 9, DEMOTED: 500_000 }
const { PRICE_DIGITS, PACKAGE_PRICE_DIGITS, DEMOTED } = ROW_FIELDS

/** Above every price: where the highest price is best, the difference to this sorts. */
const PRICE_END = 10n ** BigInt(PACKAGE_PRICE_DIGITS) - 1n

const SINCE_DIGITS = 15

/** Lengths of a price with the mark of a firm quote. */
const FIRM_LENGTHS = [PRICE_DIGITS + 1, PACKAGE_PRICE_DIGITS + 1]

/** The arguments of `put`: the price and its time in sortable form, and the rest of the quote. */
export function encodeRow(quote: Quote): { price: string; pricedAt: string; body: string } {
  const { requestId, makerId, maker, side, price, otherPrice, size, pricedAt, expiresAt, firmTerms } =
    quote.otherPrice === undefined ? quote : quoteOn(quote, 'buy')
  const both = otherPrice === undefined ? {} : { bidRank: sortable('sell', otherPrice) }
  const soft: Body = { ...both, requestId, makerId, maker, side, expiresAt, price: `${price}`, size: `${size}` }
  const body = firmTerms === undefined ? soft : { ...soft, frozen: firmTerms }
  return {
    price: sortable(side, price),
    pricedAt: `${pricedAt}`.padStart(SINCE_DIGITS, '0'),
    body: JSON.stringify(body),
  }
}

const sortable = (side: Side, price: Usd6): string =>
  `${side === 'sell' ? PRICE_END - price : price}`.padStart(PACKAGE_PRICE_DIGITS, '0')

/** The fields of a row are those of `lua/rows.lua`. */
export function decodeRow(row: string): RankedQuote {
  const blank = row.indexOf(' ')
  const [rank, sorted = '', since, quoteId = ''] = row.slice(0, blank).split(':')
  const { price, bidRank, size, frozen, ...rest } = JSON.parse(row.slice(blank + 1)) as Body
  return {
    ...rest,
    quoteId,
    price: usd6(BigInt(price)),
    ...(bidRank === undefined ? {} : { otherPrice: usd6(PRICE_END - BigInt(bidRank)) }),
    size: contracts(BigInt(size)),
    pricedAt: Number(since),
    misses: Number(rank) % DEMOTED,
    isDemoted: Number(rank) >= DEMOTED,
    ...(frozen === undefined ? {} : { firmTerms: frozen }),
    ...(FIRM_LENGTHS.includes(sorted.length) ? { isFirm: true } : {}),
  }
}

/** A top is status, bookSeq, the maker that signs, the number of quotes, the best one, whether it was displaced, and the best bid. */
export function decodeTop(text: string, request: QuoteRequest): BookTop {
  const [status, bookSeq, holder, count, best, displaced = '', bid = ''] = JSON.parse(text) as string[]
  return {
    request,
    status: status as RequestStatus,
    confirming: holder !== '',
    best: best === undefined || best === '' ? null : decodeRow(best),
    ...(request.trade.side === 'both' && status === 'open'
      ? { bestBid: bid === '' ? null : quoteOn(decodeRow(bid), 'sell') }
      : {}),
    quoteCount: Number(count),
    bookSeq: Number(bookSeq),
    ...(displaced === '' ? {} : { isDisplaced: true }),
  }
}

/** Takes a hash of quoteIds by makerId, as a flat list. */
export const decodeQuoters = (list: readonly string[]): { makerId: string; quoteId: string }[] =>
  pairsOf(list).map(([makerId, quoteId]) => ({ makerId, quoteId }))

export const decodeRemoved = (list: readonly string[]): { requestId: string; quoteId: string }[] =>
  pairsOf(list).map(([requestId, quoteId]) => ({ requestId, quoteId }))

export function decodeDropped(list: readonly string[]): QuoteKey {
  const [requestId = '', makerId = '', quoteId = ''] = list
  return { requestId, makerId, quoteId }
}

/** Takes a sorted set of makerIds by the end of their demotion, as a flat list. */
export const decodeDemoted = (list: readonly string[]): DemotedMaker[] =>
  pairsOf(list).map(([makerId, until]) => ({ makerId, until: Number(until) }))

const pairsOf = (list: readonly string[]): [string, string][] =>
  list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1] as string]] : []))
