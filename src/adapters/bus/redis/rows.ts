import type { RankedQuote } from '../../../domain/best-quote.ts'
import type { Quote } from '../../../domain/quote.ts'
import type { QuoteRequest, RequestStatus, Side } from '../../../domain/request.ts'
import { type Address, contracts, usd6 } from '../../../domain/units.ts'
import type { BookTop } from '../../../relay/ports/book.ts'

/** A quote as Redis holds it: every value is text, because Lua's numbers and JSON do not agree beyond 14 digits. */
type QuoteRow = Record<keyof RankedQuote, string>

/** A quote for Redis. */
export function encodeQuoteRow(quote: Quote): string {
  const { quoteId, requestId, makerId, maker, side, price, size, pricedAt, expiresAt } = quote
  const row: Omit<QuoteRow, 'misses'> = {
    quoteId,
    requestId,
    makerId,
    maker,
    side,
    price: `${price}`,
    size: `${size}`,
    pricedAt: `${pricedAt}`,
    expiresAt: `${expiresAt}`,
  }
  return JSON.stringify(row)
}

/** A quote from Redis. */
export function decodeQuoteRow(text: string): RankedQuote {
  const { quoteId, requestId, makerId, maker, side, price, size, pricedAt, expiresAt, misses } = JSON.parse(
    text,
  ) as QuoteRow
  return {
    quoteId,
    requestId,
    makerId,
    maker: maker as Address,
    side: side as Side,
    price: usd6(BigInt(price)),
    size: contracts(BigInt(size)),
    pricedAt: Number(pricedAt),
    expiresAt: Number(expiresAt),
    misses: Number(misses),
  }
}

/** A top as the functions tell it: status, bookSeq, the maker that signs, how many quotes, the best one. */
export function decodeTop(text: string, request: QuoteRequest): BookTop {
  const [status, bookSeq, holder, count, best] = JSON.parse(text) as string[]
  return {
    request,
    status: status as RequestStatus,
    confirming: holder !== '',
    best: best === undefined || best === '' ? null : decodeQuoteRow(best),
    quoteCount: Number(count),
    bookSeq: Number(bookSeq),
  }
}

/** Who quoted, from a hash of quoteIds by makerId, as a list of both in turn. */
export function decodeQuoters(list: readonly string[]): { makerId: string; quoteId: string }[] {
  const makerIds = list.filter((_, index) => index % 2 === 0)
  return makerIds.map((makerId, index) => ({ makerId, quoteId: list[2 * index + 1] as string }))
}
