import { RfqError } from '@rfqctl/protocol/domain/errors'
import {
  buildOrder,
  type Order,
  orderDomain,
  orderValidUntil,
  signingTimeMs,
  type TypedDataDomain,
} from '@rfqctl/protocol/domain/order'
import type { FrozenTerms, Quote } from '@rfqctl/protocol/domain/quote'
import { type QuoteRequest, seriesTermsOf } from '@rfqctl/protocol/domain/request'
import type { Address } from '@rfqctl/protocol/domain/units'
import type { Context } from './context.ts'
import type { Acceptance } from './ports/store.ts'
import type { Solvency } from './solvency.ts'
import type { TakerPosition } from './taker-position.ts'

/** A quote with the order that its maker may sign beforehand. */
export type FrozenQuote = Quote & { order: Order; domain: TypedDataDomain }

/** What a taker takes, and whether it has shown that its wallet is its own. */
type Asked = { quote: Quote; taker: Address; isProven: boolean }

/** A quote with its frozen order, for the taker that its request names. */
export const withOrder = (
  { chain }: Pick<Context, 'chain'>,
  request: QuoteRequest,
  quote: Quote & { frozen: FrozenTerms },
  taker: Address,
): FrozenQuote => ({
  ...quote,
  order: buildOrder({ request, quote, taker, ...quote.frozen }),
  domain: orderDomain(chain.environment.chainId, chain.environment.settlementAddress),
})

/** An acceptance with what its seller does not have to write, and what its buyer ends by it; as it is where there is neither. */
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

/** The acceptance of a quote, with the order that its maker is asked to sign. Refuses with `request_expired` when there is no time for it. */
export async function createAcceptance(
  context: Pick<Context, 'chain' | 'clock' | 'ids' | 'settings'>,
  request: QuoteRequest,
  { quote, nonce, taker, isProven, confirmationMs }: Asked & { nonce: number; confirmationMs: number },
): Promise<Acceptance> {
  const { chain, clock, ids, settings } = context
  // Taken before the chain's time: a slow answer shortens the maker's time to sign, and never the taker's time to fill.
  const createdAt = clock.now()
  const terms = {
    // The time that was just read for this candidate; no older than its wait for the maker's socket.
    chainTime: await chain.time('cached'),
    // Whatever the maker has: the taker has the same time to fill every order of a commit.
    confirmationMs: settings.makerConfirmationMs,
    validityMs: settings.orderValidityMs,
    expiry: seriesTermsOf(request).expiry,
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

/** The acceptance of a request that is traced is, too. */
const traceOf = ({ traceparent }: QuoteRequest) => (traceparent === undefined ? {} : { traceparent })

/** An option is so near its expiry that no order for it could be filled any more. */
const expiresTooSoon = (): RfqError =>
  new RfqError('request_expired', { detail: 'The option expires too soon to sign and fill an order.' })

/**
 * The acceptance of a firm quote, with the order that its maker has signed. Null when that would not leave the taker as long to fill
 * as any other order: the chain's clock has run far ahead of ours.
 */
export async function sealedAcceptance(
  { chain, clock, ids, settings }: Pick<Context, 'chain' | 'clock' | 'ids' | 'settings'>,
  request: QuoteRequest,
  { quote, taker, isProven }: Asked,
): Promise<Acceptance | null> {
  const { frozen } = quote
  const createdAt = clock.now()
  const terms = {
    // The time that was just read for this candidate.
    chainTime: await chain.time('cached'),
    confirmationMs: settings.makerConfirmationMs,
    validityMs: settings.orderValidityMs,
    expiry: seriesTermsOf(request).expiry,
  }
  const closingMs = signingTimeMs(terms)
  if (closingMs === null) throw expiresTooSoon()
  if (frozen === undefined || frozen.validUntil < orderValidUntil({ ...terms, confirmationMs: 0 })) return null
  const { order, domain } = withOrder({ chain }, request, { ...quote, frozen }, taker)
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
    // No one is asked: until then a slow store may close, for the quote stands and there is time to fill.
    deadline: Math.min(createdAt + closingMs, quote.expiresAt),
    ...(isProven ? { proven: true } : {}),
    state: 'confirmed',
  }
}
