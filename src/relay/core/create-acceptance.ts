import { RfqError } from '@rfqctl/protocol/domain/errors'
import {
  buildOrder,
  type Order,
  orderDomain,
  orderValidUntil,
  signingTimeMs,
  type TypedDataDomain,
} from '@rfqctl/protocol/domain/order'
import { type FirmTerms, type Quote, quoteOn } from '@rfqctl/protocol/domain/quote'
import { otherSide, type QuoteRequest, type Side, seriesTermsOf } from '@rfqctl/protocol/domain/request'
import type { Address } from '@rfqctl/protocol/domain/units'
import type { Context } from './context.ts'
import type { Acceptance } from './ports/store.ts'
import type { Solvency } from './solvency.ts'
import type { TakerPosition } from './taker-position.ts'
import { tradingEnd } from './tradable.ts'

/** `otherOrder`: on a request for both sides, the one on the side that the quote does not read. */
export type FirmQuote = Quote & { order: Order; otherOrder?: Order; domain: TypedDataDomain }

/** `isProven`: the taker has proved its wallet. */
type Asked = { quote: Quote; taker: Address; isProven: boolean }

export const withOrder = (
  { chain }: Pick<Context, 'chain'>,
  request: QuoteRequest,
  quote: Quote & { firmTerms: FirmTerms },
  taker: Address,
): FirmQuote => {
  const orderOn = (side: Side) => buildOrder({ request, quote: quoteOn(quote, side), taker, ...quote.firmTerms })
  return {
    ...quote,
    order: orderOn(quote.side),
    ...(request.trade.side === 'both' ? { otherOrder: orderOn(otherSide(quote.side)) } : {}),
    domain: orderDomain(chain.environment.chainId, chain.environment.settlementAddress),
  }
}

/**
 * Adds the options that the seller does not have to write, and those that the buyer closes; unchanged without either.
 */
export function withInventory(
  acceptance: Acceptance,
  maker: Pick<Solvency, 'fromInventory'>,
  taker: TakerPosition,
): Acceptance {
  const { fromInventory } = acceptance.order.makerSelling ? maker : taker
  return {
    ...acceptance,
    ...(fromInventory > 0n ? { fromInventory } : {}),
    ...(taker.closes ? { closes: true } : {}),
  }
}

/** Refuses with `request_expired` if too little time is left. */
export async function createAcceptance(
  context: Pick<Context, 'chain' | 'clock' | 'ids' | 'settings'>,
  request: QuoteRequest,
  { quote, nonce, taker, isProven, confirmationMs }: Asked & { nonce: number; confirmationMs: number },
): Promise<Acceptance> {
  const { chain, clock, ids, settings } = context
  // Read before the chain's time: a slow answer shortens the maker's time to sign, never the taker's time to fill.
  const createdAt = clock.now()
  const terms = {
    // Just read for this candidate, at most as old as the wait for its socket.
    chainTime: await chain.time('cached'),
    // The same for every maker: the taker has the same time to fill each order of a commit.
    confirmationMs: settings.makerConfirmationMs,
    validityMs: settings.orderValidityMs,
    tradingEndsAt: tradingEnd({ chain }, seriesTermsOf(request).expiry),
  }
  const signingMs = signingTimeMs(terms)
  if (signingMs === null) throw expiresTooSoon()
  return {
    acceptanceId: ids.uuid(),
    requestId: request.requestId,
    quoteId: quote.quoteId,
    makerId: quote.makerId,
    option: request.option,
    quote,
    order: buildOrder({ request, quote, taker, validUntil: orderValidUntil(terms), nonce }),
    domain: orderDomain(chain.environment.chainId, chain.environment.settlementAddress),
    createdAt,
    deadline: createdAt + Math.min(confirmationMs, signingMs),
    ...traceOf(request),
    ...(isProven ? { proven: true } : {}),
    state: 'pending',
  }
}

const traceOf = ({ traceparent }: QuoteRequest) => (traceparent === undefined ? {} : { traceparent })

/** The end of trading leaves no time to fill an order. */
const expiresTooSoon = (): RfqError =>
  new RfqError('request_expired', { detail: 'Trading of the option ends too soon to sign and fill an order.' })

/**
 * The maker has signed the order already. Null if the taker would get less time to fill than with any other order: the
 * chain's clock runs far ahead of the relay's.
 */
export async function firmAcceptance(
  { chain, clock, ids, settings }: Pick<Context, 'chain' | 'clock' | 'ids' | 'settings'>,
  request: QuoteRequest,
  { quote, taker, isProven }: Asked,
): Promise<Acceptance | null> {
  const { firmTerms } = quote
  const createdAt = clock.now()
  const terms = {
    // Just read for this candidate.
    chainTime: await chain.time('cached'),
    confirmationMs: settings.makerConfirmationMs,
    validityMs: settings.orderValidityMs,
    tradingEndsAt: tradingEnd({ chain }, seriesTermsOf(request).expiry),
  }
  const closingMs = signingTimeMs(terms)
  if (closingMs === null) throw expiresTooSoon()
  if (firmTerms === undefined || firmTerms.validUntil < orderValidUntil({ ...terms, confirmationMs: 0 })) return null
  const { order, domain } = withOrder({ chain }, request, { ...quote, firmTerms }, taker)
  return {
    acceptanceId: ids.uuid(),
    requestId: request.requestId,
    quoteId: quote.quoteId,
    makerId: quote.makerId,
    option: request.option,
    quote,
    order,
    domain,
    createdAt,
    // No one is asked: a slow store may close until then, since the quote is valid and there is time to fill.
    deadline: Math.min(createdAt + closingMs, quote.expiresAt),
    ...(isProven ? { proven: true } : {}),
    state: 'confirmed',
  }
}
