import type { Quote } from '../../src/protocol/domain/quote.ts'
import type { QuoteRequest } from '../../src/protocol/domain/request.ts'
import { type Address, contracts, type StrikeBps, usd6 } from '../../src/protocol/domain/units.ts'
import { CALL_BUY, START_MS } from '../support/test-relay.ts'

const WALLET: Address = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'

/** An open request of five minutes. */
export const aRequest = (requestId: string): QuoteRequest => ({
  ...CALL_BUY,
  market: { ...CALL_BUY.market, yesPrice: 0.5884 },
  requestId,
  seriesId: '1',
  createdAt: START_MS,
  expiresAt: START_MS + 300_000,
  locked: false,
  takerSecretDigest: 'digest',
})

/** The same about a package that may cost more than a dollar. */
export const aPackageRequest = (requestId: string): QuoteRequest => ({
  ...aRequest(requestId),
  option: {
    legs: [1, 2, 3, 4].map((strike) => ({
      optionType: 'call',
      strikeBps: strike as StrikeBps,
      quantity: strike === 1 ? 3 : 4,
    })),
    expiryMs: CALL_BUY.option.expiryMs,
  },
})

/** The same for both sides of a hundred options. */
export const aTwoSidedRequest = (requestId: string): QuoteRequest => ({
  ...aRequest(requestId),
  trade: { side: 'both', size: contracts(100n) },
})

/** A quote on the request `one` that lives as long as it does. */
export const aQuote = (makerId: string, terms: Partial<Quote> = {}): Quote => ({
  quoteId: `${makerId}-quote`,
  requestId: 'one',
  makerId,
  maker: WALLET,
  side: 'buy',
  price: usd6(120_000n),
  size: contracts(100n),
  pricedAt: START_MS,
  expiresAt: START_MS + 300_000,
  ...terms,
})
