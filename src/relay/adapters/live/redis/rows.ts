import type { RankedQuote } from '@rfqctl/protocol/domain/best-quote'
import type { FirmTerms, Quote } from '@rfqctl/protocol/domain/quote'
import type { DemotedMaker } from '@rfqctl/protocol/domain/reliability'
import type { QuoteRequest, RequestStatus } from '@rfqctl/protocol/domain/request'
import { contracts, usd6 } from '@rfqctl/protocol/domain/units'
import type { BookTop, QuoteKey } from '../../../core/ports/book.ts'

/** The quote in the form that its node writes; money is text, because Lua's numbers do not hold all of it. */
type Body = Pick<Quote, 'requestId' | 'makerId' | 'maker' | 'side' | 'expiresAt'> & {
  price: string
  size: string
  /** The name of the first version: nodes of several versions read each other's rows. */
  frozen?: FirmTerms
}

/**
 * The highest number of so many digits, above every price of a package: where the highest price is best, the difference
 * to this sorts. The library leaves the first two digits off for a single call or put, and adds one for a firm quote,
 * which sorts before the colon that ends any other price.
 */
const PRICE_DIGITS = 9
const PRICE_END = 999_999_999n

const TIME_DIGITS = 15

/** Added by the library to the misses of a demoted maker. A version from before demotion sorts it the same way. */
const DEMOTED = 500_000

/** The arguments of `put`: the price and its time in sortable form, and the rest of the quote. */
export function encodeRow({ requestId, makerId, maker, side, price, size, pricedAt, expiresAt, firmTerms }: Quote): {
  price: string
  pricedAt: string
  body: string
} {
  const soft: Body = { requestId, makerId, maker, side, expiresAt, price: `${price}`, size: `${size}` }
  const body = firmTerms === undefined ? soft : { ...soft, frozen: firmTerms }
  return {
    price: `${side === 'sell' ? PRICE_END - price : price}`.padStart(PRICE_DIGITS, '0'),
    pricedAt: `${pricedAt}`.padStart(TIME_DIGITS, '0'),
    body: JSON.stringify(body),
  }
}

/** A row is misses and demotion of its maker, price, time of the price, quoteId, and the rest. */
export function decodeRow(row: string): RankedQuote {
  const blank = row.indexOf(' ')
  const [rank, sorted = '', pricedAt, quoteId = ''] = row.slice(0, blank).split(':')
  const { price, size, frozen, ...rest } = JSON.parse(row.slice(blank + 1)) as Body
  return {
    ...rest,
    quoteId,
    price: usd6(BigInt(price)),
    size: contracts(BigInt(size)),
    pricedAt: Number(pricedAt),
    misses: Number(rank) % DEMOTED,
    isDemoted: Number(rank) >= DEMOTED,
    ...(frozen === undefined ? {} : { firmTerms: frozen }),
    ...(sorted.length % 2 === 0 ? { isFirm: true } : {}),
  }
}

/** A top is status, bookSeq, the maker that signs, the number of quotes, the best one. */
export function decodeTop(text: string, request: QuoteRequest): BookTop {
  const [status, bookSeq, holder, count, best, displaced = ''] = JSON.parse(text) as string[]
  return {
    request,
    status: status as RequestStatus,
    confirming: holder !== '',
    best: best === undefined || best === '' ? null : decodeRow(best),
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
