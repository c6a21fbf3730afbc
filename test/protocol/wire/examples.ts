import type { Order, TypedDataDomain } from '../../../src/protocol/domain/order.ts'
import type { Quote } from '../../../src/protocol/domain/quote.ts'
import type { QuoteRequest, RequestTerms } from '../../../src/protocol/domain/request.ts'
import { type Address, contracts, type Hex, type StrikeBps, usd6 } from '../../../src/protocol/domain/units.ts'

/** One trade's worth of values, with the bodies that a client written from the specification alone would send. */

export const TAKER: Address = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
export const MAKER: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
export const CONDITION_ID: Hex = `0x${'ab'.repeat(32)}`

export const openBody = () => ({
  market: { conditionId: CONDITION_ID as string, yesTokenId: '123456789', question: 'Will it rain on Sunday?' },
  option: { strikeBps: 4_500, expiryMs: 1_800_000_000_123, optionType: 'call' },
  trade: { side: 'buy', budgetUsd: 100 },
})

export const terms: RequestTerms = {
  wallet: null,
  market: { conditionId: CONDITION_ID, yesTokenId: '123456789', question: 'Will it rain on Sunday?' },
  option: { strikeBps: 4_500 as StrikeBps, expiryMs: 1_800_000_000_123, optionType: 'call' },
  trade: { side: 'buy', budget: usd6(100_000_000n) },
}

export const request: QuoteRequest = {
  ...terms,
  requestId: 'request-1',
  seriesId: '7',
  createdAt: 1_700_000_000_000,
  expiresAt: 1_700_000_300_000,
  locked: false,
  takerSecretDigest: 'digest',
}

export const quoteBody = () => ({
  requestId: 'request-1',
  quote: { maker: MAKER as string, side: 'buy', price: 0.12, size: 1_000 },
})

export const quote: Quote = {
  quoteId: 'quote-1',
  requestId: 'request-1',
  makerId: 'maker-1',
  maker: MAKER,
  side: 'buy',
  price: usd6(120_000n),
  size: contracts(1_000n),
  pricedAt: 1_700_000_001_000,
  expiresAt: 1_700_000_061_000,
}

export const order: Order = {
  maker: MAKER,
  seriesId: '7',
  optionAmount: contracts(833n),
  premiumAmount: usd6(99_960_000n),
  makerSelling: true,
  taker: TAKER,
  validUntil: 1_700_000_132,
  nonce: 4_294_967_296,
}

export const domain: TypedDataDomain = {
  name: 'ServiceRFQSettlement',
  version: '1',
  chainId: 80_002,
  verifyingContract: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
}

export const environment = {
  chainId: 80_002,
  settlementAddress: domain.verifyingContract,
  coreAddress: '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512' as Address,
  stablecoinAddress: '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0' as Address,
}

/** Sends a value through JSON text, as the wire does. */
export const overTheWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
