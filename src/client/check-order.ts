import type { Protections } from '@rfqctl/protocol/domain/commit'
import { formatUsd6 } from '@rfqctl/protocol/domain/decimal'
import { type Order, type TypedDataDomain, takerSideOf } from '@rfqctl/protocol/domain/order'
import { type QuoteSubmission, quoteOn } from '@rfqctl/protocol/domain/quote'
import { type OneSidedTerms, type RequestTerms, seriesTermsOf, walletOf } from '@rfqctl/protocol/domain/request'
import { seriesIdOf } from '@rfqctl/protocol/domain/series'
import { type Address, type Hex, usd6 } from '@rfqctl/protocol/domain/units'
import { recoverSigner, unsignedFault } from './order-signature.ts'

/** Offer that a maker is bound by. */
export type Offer = {
  /** The request as the maker read it. */
  terms: RequestTerms
  quote: Omit<QuoteSubmission, 'expiresInMs'>
  /** The time at which it expires. */
  expiresAt: number
}

/**
 * The relay can ask for an offer after its end when a taker commits at the last moment: it waits for a socket, and then until the
 * deadline.
 */
const CONFIRMATION_SLACK_MS = 30_000

/**
 * Finds every reason why a maker must not sign an order. `confirmOrder` asks it before it signs.
 * @param input.order - The order.
 * @param input.domain - The domain that the relay names.
 * @param input.expectedDomain - Domain of the contract that the maker trusts.
 * @param input.offer - The maker's offer.
 * @param input.now - Unix milliseconds.
 * @param input.chainTime - Unix seconds.
 * @param input.maxValidityS - Longest time for which the order may stay open to its taker, seconds.
 * @returns The reasons as sentences; empty when the order is the maker's own offer, in its own numbers.
 * @example
 * import { checkMakerOrder, type Offer } from 'rfqctl/client'
 *
 * declare const offer: Offer
 * const { order, domain } = acceptance
 * const now = Date.now()
 * const reasons = checkMakerOrder({
 *   order,
 *   domain,
 *   expectedDomain: domain,
 *   offer,
 *   now,
 *   chainTime: Math.floor(now / 1_000),
 *   maxValidityS: 600,
 * })
 * if (reasons.length > 0) throw new Error(reasons.join('; '))
 */
export function checkMakerOrder(input: {
  order: Order
  domain: TypedDataDomain
  expectedDomain: TypedDataDomain
  offer: Offer
  now: number
  chainTime: number
  maxValidityS: number
}): string[] {
  const { order, domain, expectedDomain, now, chainTime, maxValidityS } = input
  const { terms, quote, expiresAt } = input.offer
  const { expiry } = seriesTermsOf(terms)
  const offered = quoteOn(quote, takerSideOf(order)).price * order.optionAmount
  const latest = Math.min(expiry, chainTime + maxValidityS)
  const namedTaker = walletOf(terms)
  return [
    ...agreementFaults({ order, domain, expectedDomain, terms }),
    ...unless(sameAddress(order.maker, quote.maker), `the maker is ${order.maker}, not ${quote.maker}`),
    ...unless(BigInt(order.taker) !== 0n, 'it names no taker, so anyone could fill it'),
    ...unless(
      namedTaker === null || sameAddress(order.taker, namedTaker),
      `the taker is ${order.taker}, the request named ${namedTaker}`,
    ),
    ...unless(order.optionAmount <= quote.size, `it is for ${order.optionAmount} options, ${quote.size} were quoted`),
    ...unless(
      order.makerSelling ? order.premiumAmount >= offered : order.premiumAmount <= offered,
      `the premium is ${formatUsd6(order.premiumAmount)}, at the quoted price it is ${formatUsd6(usd6(offered))}`,
    ),
    ...unless(now <= expiresAt + CONFIRMATION_SLACK_MS, `the offer ended ${now - expiresAt} ms ago`),
    ...unless(order.validUntil <= latest, `it stays open until ${order.validUntil}, later than ${latest}`),
  ]
}

/**
 * Finds every reason why a taker must not fill an order, without a chain: it accepts only a signature of the maker's own key. `fillOrder`
 * asks the chain about any other signature, which may be from a contract wallet (ERC-1271) or from a key that the maker has authorised.
 * @param input.order - The order.
 * @param input.domain - The domain that the relay names.
 * @param input.expectedDomain - Domain of the contract that the taker trusts.
 * @param input.signature - The maker's signature.
 * @param input.terms - The request's terms, on the side that was committed to.
 * @param input.wallet - The wallet that would fill.
 * @param input.protections - The protections of the commit.
 * @returns The reasons as sentences; empty when the order is what the taker asked for, signed by the key of the maker it names.
 * @throws SyntaxError where a market id in the terms is not a number.
 * @example
 * import { checkTakerOrder } from 'rfqctl/client'
 *
 * const { onchain, terms, protections } = commitment
 * if (onchain === null) throw new Error('a simulated trade has no order')
 * const { order, domain, makerSignature: signature } = onchain
 * const reasons = await checkTakerOrder({ order, domain, expectedDomain: domain, signature, terms, wallet, protections })
 */
export async function checkTakerOrder(input: {
  order: Order
  domain: TypedDataDomain
  expectedDomain: TypedDataDomain
  signature: Hex
  terms: OneSidedTerms
  wallet: Address
  protections: Pick<Protections, 'limitPrice' | 'minContracts'>
}): Promise<string[]> {
  const { order, domain, expectedDomain, signature, terms, wallet, protections } = input
  const signer = await recoverSigner(order, { domain: expectedDomain, signature })
  return [
    ...takerFaults({ order, domain, expectedDomain, terms, wallet, protections }),
    ...unless(signer !== null && sameAddress(signer, order.maker), unsignedFault(signature)),
  ]
}

/** Every reason but the signature. */
export function takerFaults(input: Omit<Parameters<typeof checkTakerOrder>[0], 'signature'>): string[] {
  const { order, domain, expectedDomain, terms, wallet } = input
  const { limitPrice, minContracts } = input.protections
  const { trade } = terms
  const { optionAmount, premiumAmount } = order
  const most = trade.side === 'sell' ? trade.size : null
  const limit = limitPrice === null ? null : limitPrice * optionAmount
  return [
    ...agreementFaults({ order, domain, expectedDomain, terms }),
    ...unless(sameAddress(order.taker, wallet), `the taker is ${order.taker}, not ${wallet}`),
    ...unless(!sameAddress(order.maker, wallet), 'maker and taker are the same wallet'),
    ...unless(
      minContracts === null || optionAmount >= minContracts,
      `it is for ${optionAmount} options, fewer than ${minContracts}`,
    ),
    ...unless(most === null || optionAmount <= most, `it is for ${optionAmount} options, more than ${most}`),
    ...unless(
      trade.side === 'sell' || premiumAmount <= trade.budget,
      `the premium is ${formatUsd6(premiumAmount)}, above the budget`,
    ),
    ...unless(
      limit === null || (trade.side === 'buy' ? premiumAmount <= limit : premiumAmount >= limit),
      `the premium is ${formatUsd6(premiumAmount)}, at the limit price it is ${formatUsd6(usd6(limit ?? 0n))}`,
    ),
  ]
}

/** Faults that both sides check: the series, the direction, a whole amount, and the contract that the signature is for. */
function agreementFaults(
  input: Pick<Parameters<typeof checkTakerOrder>[0], 'order' | 'domain' | 'expectedDomain'> & { terms: RequestTerms },
): string[] {
  const { order, domain, expectedDomain, terms } = input
  const seriesId = seriesIdOf(seriesTermsOf(terms))
  const { side } = terms.trade
  return [
    ...unless(order.seriesId === seriesId, `the series is ${order.seriesId}, not ${seriesId}`),
    ...unless(side === 'both' || side === takerSideOf(order), `it has the maker ${side === 'buy' ? 'buy' : 'sell'}`),
    ...unless(order.optionAmount >= 1n, `it is for ${order.optionAmount} options`),
    ...unless(Number.isSafeInteger(order.nonce) && order.nonce >= 0, `the nonce is ${order.nonce}`),
    ...unless(
      domainText(domain) === domainText(expectedDomain),
      `its domain is ${domainText(domain)}, not ${domainText(expectedDomain)}`,
    ),
  ]
}

const domainText = ({ name, version, chainId, verifyingContract }: TypedDataDomain): string =>
  `${name} ${version} on chain ${chainId} at ${verifyingContract.toLowerCase()}`

const sameAddress = (a: Address, b: Address): boolean => a.toLowerCase() === b.toLowerCase()

const unless = (holds: boolean, fault: string): string[] => (holds ? [] : [fault])
