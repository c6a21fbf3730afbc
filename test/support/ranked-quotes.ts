import type { SeenQuote } from '../../src/protocol/domain/audit.ts'
import type { Quote } from '../../src/protocol/domain/quote.ts'
import { contracts, usd6 } from '../../src/protocol/domain/units.ts'
import { walletOf } from './test-relay.ts'

/** The quote of a maker on the request `r1`, opened at `at`, Unix milliseconds. `price` is in micro-dollars. */
export const quoteOf = (at: number, makerId: string, price: bigint, changes: Partial<Quote> = {}): Quote => ({
  quoteId: `q-${makerId}`,
  requestId: 'r1',
  makerId,
  maker: walletOf(makerId),
  side: 'buy',
  price: usd6(price),
  size: contracts(1_000n),
  pricedAt: at + 100,
  expiresAt: at + 300_000,
  ...changes,
})

/** A quote as a commit sees it whose maker has never missed. */
export const seen = (quote: Quote, changes: Partial<SeenQuote> = {}): SeenQuote => ({
  ...quote,
  misses: 0,
  isDemoted: false,
  isProven: true,
  isConsidered: false,
  ...changes,
})
