import type { QuoteSubmission } from '@rfqctl/protocol/domain/quote'
import type { RequestTerms } from '@rfqctl/protocol/domain/request'
import type { Usd6 } from '@rfqctl/protocol/domain/units'
import { ClientSetupError } from './errors.ts'

/** The side and the prices of a quote as its request asks for them, in micro-dollars: `price` is the ask where that is of both sides. */
export function quotedPrices(
  { trade }: Pick<RequestTerms, 'trade'>,
  { price, bid }: { price: Usd6; bid?: Usd6 | undefined },
): Pick<QuoteSubmission, 'side' | 'price' | 'otherPrice'> {
  if (trade.side === 'both') {
    if (bid !== undefined) return { side: 'buy', price, otherPrice: bid }
    throw new ClientSetupError('The request asks for both sides: the quote needs a `bid`.')
  }
  if (bid === undefined) return { side: trade.side, price }
  throw new ClientSetupError('A `bid` beside the price is for requests that ask for both sides.')
}
