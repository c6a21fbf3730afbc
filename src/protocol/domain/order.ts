import { collateral, type Option } from './option.ts'
import { fillContracts, premiumOf, type Quote } from './quote.ts'
import { onSide, type QuoteRequest, type Side } from './request.ts'
import type { SeriesId } from './series.ts'
import { digestOfWords, type TypedDataDomain, typeHashOf } from './typed-data.ts'
import { type Address, type Contracts, contracts, type Hex, type Usd6 } from './units.ts'

export type { TypedDataDomain } from './typed-data.ts'

/** The order that a maker signs and its taker fills, once. */
export type Order = {
  maker: Address
  seriesId: SeriesId
  optionAmount: Contracts
  /** For all options. */
  premiumAmount: Usd6
  /** Whether the maker writes the options and the taker buys them. */
  makerSelling: boolean
  /** The only wallet that can fill it. */
  taker: Address
  /** The last second to fill it, Unix seconds of chain time. */
  validUntil: number
  /** Filled or cancelled once. */
  nonce: number
}

/** The EIP-712 type list of an order, as `quote:accepted` carries it. */
export const ORDER_TYPES = {
  Order: [
    { name: 'maker', type: 'address' },
    { name: 'seriesId', type: 'uint256' },
    { name: 'optionAmount', type: 'uint256' },
    { name: 'premiumAmount', type: 'uint256' },
    { name: 'makerSelling', type: 'bool' },
    { name: 'taker', type: 'address' },
    { name: 'validUntil', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
  ],
} as const

const ORDER_TYPE_HASH = typeHashOf('Order', ORDER_TYPES.Order)

/** The approval a taker makes before it fills. */
export type TakerApproval = {
  spender: 'settlement' | 'core'
  /** Amount, micro-dollars. */
  amount: Usd6
  reason: 'premium' | 'collateral'
}

/** The EIP-712 domain of orders. */
export const orderDomain = (chainId: number, settlement: Address): TypedDataDomain => ({
  name: 'ServiceRFQSettlement',
  version: '1',
  chainId,
  verifyingContract: settlement,
})

/** Builds the order of a quote that its maker is asked to sign (decision C7 for `validUntil` and `nonce`). */
export function buildOrder(input: {
  request: Pick<QuoteRequest, 'trade' | 'option' | 'seriesId'>
  quote: Pick<Quote, 'maker' | 'side' | 'price' | 'size'>
  taker: Address
  validUntil: number
  nonce: number
}): Order {
  const { request, quote, taker, validUntil, nonce } = input
  const optionAmount = fillContracts(onSide(request, quote.side).trade, quote)
  return {
    maker: quote.maker,
    seriesId: request.seriesId,
    optionAmount,
    premiumAmount: premiumOf(optionAmount, quote.price),
    makerSelling: quote.side === 'buy',
    taker,
    validUntil,
    nonce,
  }
}

/** The taker's side of an order. */
export const takerSideOf = ({ makerSelling }: Pick<Order, 'makerSelling'>): Side => (makerSelling ? 'buy' : 'sell')

/** An order in the types of the contract. */
export const contractOrder = (order: Order) => ({
  ...order,
  seriesId: BigInt(order.seriesId),
  validUntil: BigInt(order.validUntil),
  nonce: BigInt(order.nonce),
})

/** An order as EIP-712 typed data, ready for any signer. */
export const orderTypedData = (order: Order, domain: TypedDataDomain) =>
  ({ domain, types: ORDER_TYPES, primaryType: 'Order', message: contractOrder(order) }) as const

/** The EIP-712 digest of an order. */
export const orderDigest = (order: Order, domain: TypedDataDomain): Hex =>
  digestOfWords(domain, ORDER_TYPE_HASH, [
    order.maker,
    BigInt(order.seriesId),
    order.optionAmount,
    order.premiumAmount,
    order.makerSelling ? 1n : 0n,
    order.taker,
    BigInt(order.validUntil),
    BigInt(order.nonce),
  ])

/**
 * The last second in which an order can be filled, Unix seconds of chain time: the maker's time to sign, then the taker's time to
 * fill, never past the end of trading, the Unix second `tradingEndsAt` (decision C7).
 */
export function orderValidUntil(input: {
  chainTime: number
  confirmationMs: number
  validityMs: number
  tradingEndsAt: number
}): number {
  const { chainTime, confirmationMs, validityMs, tradingEndsAt } = input
  return Math.min(chainTime + Math.ceil((confirmationMs + validityMs) / 1_000), tradingEndsAt)
}

/**
 * The last second in which the order of a firm quote can be filled, Unix seconds of chain time: a commit may come
 * while the quote lasts, `lifeMs`, and leaves the taker as much time as any other. `slackMs` is for a chain whose clock runs
 * ahead of ours.
 */
export const firmValidUntil = ({
  lifeMs,
  slackMs,
  ...terms
}: { lifeMs: number; slackMs: number } & Omit<Parameters<typeof orderValidUntil>[0], 'confirmationMs'>): number =>
  orderValidUntil({ ...terms, confirmationMs: lifeMs + slackMs })

/** Least time that a taker needs between the maker's signature and the last second of a fill: a block or two. */
const FILL_MARGIN_MS = 2_000

/** A maker that has less than this is not asked: it would be sure to miss. */
const LEAST_SIGNING_MS = 1_000

/**
 * The time that a maker may take to sign an order, in milliseconds: `confirmationMs`, and less where trading ends so soon
 * that the order could no longer be filled after that. Null when there is no time left to sign and to fill.
 */
export function signingTimeMs(input: Parameters<typeof orderValidUntil>[0]): number | null {
  const { chainTime, confirmationMs, validityMs, tradingEndsAt } = input
  const left = (tradingEndsAt - chainTime) * 1_000 - Math.min(FILL_MARGIN_MS, validityMs)
  return left < Math.min(LEAST_SIGNING_MS, confirmationMs) ? null : Math.min(confirmationMs, left)
}

/** Whether a fill in a block of `chainTime`, Unix seconds, can pass; the contract takes none from the end of trading on. */
export const isFillable = (
  { validUntil }: Pick<Order, 'validUntil'>,
  tradingEndsAt: number,
  chainTime: number,
): boolean => chainTime <= validUntil && chainTime < tradingEndsAt

/**
 * Money that a maker must hold and have approved for its order: collateral to the core for the options that do not come
 * `fromInventory`, or premium to the settlement.
 */
export function makerObligation(
  order: Pick<Order, 'makerSelling' | 'optionAmount' | 'premiumAmount'>,
  option: Option,
  fromInventory = contracts(0n),
): { spender: 'settlement' | 'core'; amount: Usd6 } {
  const written = contracts(order.optionAmount - fromInventory)
  return order.makerSelling
    ? { spender: 'core', amount: collateral(option, written) }
    : { spender: 'settlement', amount: order.premiumAmount }
}

/** The approval that a taker makes before it fills: for the other half of the trade, without options from its inventory. */
export function takerApproval(
  order: Pick<Order, 'makerSelling' | 'optionAmount' | 'premiumAmount'>,
  option: Option,
  fromInventory = contracts(0n),
): TakerApproval {
  const { spender, amount } = makerObligation({ ...order, makerSelling: !order.makerSelling }, option, fromInventory)
  return { spender, amount, reason: spender === 'core' ? 'collateral' : 'premium' }
}
