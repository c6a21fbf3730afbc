import { privateKeyToAccount } from 'viem/accounts'
import type { Offer } from '../../src/client/check-order.ts'
import { buildOrder, type Order, orderDomain, orderTypedData } from '../../src/protocol/domain/order.ts'
import {
  type OneSided,
  type OneSidedTrade,
  type RequestTerms,
  seriesTermsOf,
} from '../../src/protocol/domain/request.ts'
import { seriesIdOf } from '../../src/protocol/domain/series.ts'
import { type Address, contracts, type StrikeBps, type Usd6, usd6 } from '../../src/protocol/domain/units.ts'
import type { AnnouncedRequest } from '../../src/protocol/wire/maker-stream.ts'

export const NOW = Date.UTC(2026, 0, 1)
export const MAKER = privateKeyToAccount(`0x${'01'.repeat(32)}`)
export const TAKER = privateKeyToAccount(`0x${'02'.repeat(32)}`)
export const STRANGER = privateKeyToAccount(`0x${'03'.repeat(32)}`)
const SETTLEMENT: Address = '0x00000000000000000000000000000000000000A1'
export const CORE: Address = '0x00000000000000000000000000000000000000c0'
export const CHAIN = { chainId: 80_002, settlementAddress: SETTLEMENT, coreAddress: CORE }
export const DOMAIN = orderDomain(CHAIN.chainId, SETTLEMENT)

export const BUY: OneSidedTrade = { side: 'buy', budget: usd6(100_000_000n) }
export const SELL: OneSidedTrade = { side: 'sell', size: contracts(400n) }
const REQUEST_TTL_MS = 300_000

/** What a taker asks for: a call at 0.45, a month away, of a market that nobody knows. */
export const termsOf = (trade: OneSidedTrade, wallet: Address | null = null): OneSided<RequestTerms> => ({
  wallet,
  market: { conditionId: `0x${'11'.repeat(32)}`, yesTokenId: '123456789', question: null },
  option: { optionType: 'call', strikeBps: 4_500 as StrikeBps, expiryMs: NOW + 30 * 86_400_000 },
  trade,
})

export const announced = (trade: OneSidedTrade, requestId = 'request-1'): AnnouncedRequest => ({
  requestId,
  expiresAt: NOW + REQUEST_TTL_MS,
  terms: termsOf(trade),
})

type OneSidedOffer = Offer & { terms: OneSided<RequestTerms> }

/** An offer at 0.12 for 500 options. */
export const offerOf = (trade: OneSidedTrade, price: Usd6 = usd6(120_000n)): OneSidedOffer => ({
  terms: termsOf(trade),
  quote: { maker: MAKER.address, side: trade.side, price, size: contracts(500n) },
  expiresAt: NOW + REQUEST_TTL_MS,
})

/** The order that an honest relay makes of an offer. */
export const orderOf = ({ terms, quote }: Offer, over: Partial<Order> = {}): Order => ({
  ...buildOrder({
    request: { trade: terms.trade, option: terms.option, seriesId: seriesIdOf(seriesTermsOf(terms)) },
    quote,
    taker: TAKER.address,
    validUntil: NOW / 1_000 + 130,
    nonce: 4_294_967_296,
  }),
  ...over,
})

export const sign = (order: Order, account = MAKER, domain = DOMAIN) =>
  account.signTypedData(orderTypedData(order, domain))
