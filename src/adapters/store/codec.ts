import type { Order } from '../../domain/order.ts'
import type { Quote } from '../../domain/quote.ts'
import type { QuoteRequest, Trade } from '../../domain/request.ts'
import { contracts, usd6 } from '../../domain/units.ts'
import type { Acceptance, Execution } from '../../relay/ports/store.ts'

/** A type as JSON carries it: each bigint as decimal text, everything else as it is. */
export type Encoded<T> = T extends bigint
  ? string
  : T extends string | number | boolean | null | undefined
    ? T
    : { [Key in keyof T]: Encoded<T[Key]> }

/** A quote request as JSON. */
export const encodeRequest = (request: QuoteRequest): Encoded<QuoteRequest> => ({
  ...request,
  trade: encodeTrade(request.trade),
})

/** A quote request from JSON. */
export const decodeRequest = (row: Encoded<QuoteRequest>): QuoteRequest => ({ ...row, trade: decodeTrade(row.trade) })

/** A trade as JSON. */
export const encodeTrade = (trade: Trade): Encoded<Trade> =>
  trade.side === 'buy' ? { side: 'buy', budget: `${trade.budget}` } : { side: 'sell', size: `${trade.size}` }

/** A trade from JSON. */
export const decodeTrade = (row: Encoded<Trade>): Trade =>
  row.side === 'buy'
    ? { side: 'buy', budget: usd6(BigInt(row.budget)) }
    : { side: 'sell', size: contracts(BigInt(row.size)) }

/** An acceptance as JSON, with its quote and its frozen order. */
export const encodeAcceptance = (acceptance: Acceptance): Encoded<Acceptance> => ({
  ...acceptance,
  quote: encodeQuote(acceptance.quote),
  order: encodeOrder(acceptance.order),
})

/** An acceptance from JSON. */
export const decodeAcceptance = (row: Encoded<Acceptance>): Acceptance => ({
  ...row,
  quote: decodeQuote(row.quote),
  order: decodeOrder(row.order),
})

/** An execution from JSON. */
export const decodeExecution = (row: Encoded<Execution>): Execution => ({
  ...row,
  acceptance: decodeAcceptance(row.acceptance),
})

/** A quote as JSON. */
export const encodeQuote = (quote: Quote): Encoded<Quote> => ({
  ...quote,
  price: `${quote.price}`,
  size: `${quote.size}`,
})

/** A quote from JSON. */
export const decodeQuote = (row: Encoded<Quote>): Quote => ({
  ...row,
  price: usd6(BigInt(row.price)),
  size: contracts(BigInt(row.size)),
})

/** An order as JSON. */
export const encodeOrder = (order: Order): Encoded<Order> => ({
  ...order,
  optionAmount: `${order.optionAmount}`,
  premiumAmount: `${order.premiumAmount}`,
})

/** An order from JSON. */
export const decodeOrder = (row: Encoded<Order>): Order => ({
  ...row,
  optionAmount: contracts(BigInt(row.optionAmount)),
  premiumAmount: usd6(BigInt(row.premiumAmount)),
})
