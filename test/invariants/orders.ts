import { verifyTypedData } from 'ethers'
import { ethersOrderTypes } from '../support/oracles/ethers-signing.ts'
import type { Assert } from './invariants.ts'
import type { CommitSeen, ObservationOf, OrderSeen, OrderSent, QuoteSeen } from './observation.ts'
import type { RequestHistory } from './request-history.ts'

/** To whom a signature of an order recovers. */
export type RecoverSigner = (revealed: NonNullable<CommitSeen['revealed']>) => string

/** As ethers has it. */
export const recoverSigner: RecoverSigner = ({ domain, order, signature }) =>
  verifyTypedData(domain, ethersOrderTypes, order, signature)

/** V1: one signed order a request, one winner, and one maker that is asked at a time. */
export function checkOneOrder(request: RequestHistory, assert: Assert): void {
  const { requestId } = request
  const one = (values: readonly string[], sentence: (first: string, other: string) => string) => {
    const [first] = values
    for (const value of values) assert('V1', requestId, value === first, () => sentence(String(first), value))
  }
  one(
    request.of('commit').flatMap(({ executionId }) => executionId ?? []),
    (first, other) => `${requestId} was answered with two orders, ${first} and ${other}`,
  )
  one(
    request.of('quote_ended').flatMap(({ makerId, outcome }) => (outcome === 'confirmed' ? [makerId] : [])),
    (first, other) => `${requestId} was won by ${first} and by ${other}`,
  )
  one(
    request.of('confirm').flatMap(({ makerId, status }) => (status === 200 ? [makerId] : [])),
    (first, other) => `${requestId} took the signatures of ${first} and of ${other}`,
  )
  checkOneMakerAsked(request, assert)
}

/** Every order that some maker was asked to sign, once, in the order of asking, as far as it is known, else of their deadlines. */
export function ordersSent(request: RequestHistory): readonly OrderSent[] {
  const known = new Map<string, OrderSent>()
  for (const sent of request.of('order_sent')) {
    const key = keyOf(sent)
    if (!known.has(key)) known.set(key, sent)
  }
  return [...known.values()].sort((a, b) => a.asked.order - b.asked.order || a.deadline - b.deadline)
}

/** The same question, sent again. */
const keyOf = ({ quoteId, deadline, order }: OrderSent): string =>
  `${quoteId} ${deadline} ${order.taker} ${order.maker}`

/** A maker is asked once the one before it has missed its deadline or declined; an order that is sent again is the same. */
function checkOneMakerAsked(request: RequestHistory, assert: Assert): void {
  const { requestId } = request
  const releases = request.of('order_released')
  const released = new Set(releases.map(({ quoteId }) => quoteId))
  /** A question may reach its maker when it is over: then nothing can be signed, and what is asked next is another question. */
  const isStale = ({ quoteId, asked }: OrderSent) =>
    releases.some((release) => release.quoteId === quoteId && release.moment.order < asked.order)
  let last: OrderSent | undefined
  for (const next of ordersSent(request)) {
    const former = last
    const isAlone =
      former === undefined || released.has(former.quoteId) || isStale(next) || next.asked.at >= former.deadline
    assert(
      'V1',
      requestId,
      isAlone,
      () => `${next.makerId} was asked for ${requestId} while ${former?.makerId} could sign`,
    )
    last = next
  }
  const firsts = new Map<string, OrderSent>()
  const nonceOf = new Map<string, number>()
  for (const sent of request.of('order_sent')) {
    const { makerId, order } = sent
    const key = keyOf(sent)
    const first = firsts.get(key) ?? sent
    firsts.set(key, first)
    const isSame = isStale(sent) || JSON.stringify(order) === JSON.stringify(first.order)
    assert('V1', requestId, isSame, () => `${requestId} asked ${makerId} for another order than before`)
    const maker = order.maker.toLowerCase()
    const nonce = nonceOf.get(maker) ?? order.nonce
    nonceOf.set(maker, nonce)
    assert(
      'V1',
      requestId,
      nonce === order.nonce,
      () => `${order.maker} got the nonces ${nonce} and ${order.nonce} for ${requestId}`,
    )
  }
}

/** V2: what a maker is asked to sign, and what a taker is given, is what was quoted and signed by whom it names. */
export function checkOrders(request: RequestHistory, assert: Assert, recover: RecoverSigner): void {
  const { requestId } = request
  const wallets = request.of('commit').map(({ wallet }) => wallet)
  for (const { quoteId, order, deadline } of ordersSent(request)) {
    assert(
      'V2',
      requestId,
      wallets.some((wallet) => isSameAddress(wallet, order.taker)),
      () => `${requestId} is to be signed for ${order.taker}, who did not commit`,
    )
    const outlives = order.validUntil * 1_000 > deadline
    assert('V2', requestId, outlives, () => `${requestId} is to be signed after its order has ended`)
    checkAmounts(request, assert, { quoteId, order })
  }
  for (const taken of request.of('order_taken')) checkAmounts(request, assert, taken)
  for (const { wallet, side, limitPrice, revealed } of request.of('commit')) {
    if (revealed === null) continue
    const { order, at } = revealed
    const signer = recover(revealed)
    const isSigned = isSameAddress(signer, order.maker)
    assert(
      'V2',
      requestId,
      isSigned,
      () => `the order of ${requestId} names ${order.maker} and was signed by ${signer}`,
    )
    const isTaker = isSameAddress(order.taker, wallet)
    assert('V2', requestId, isTaker, () => `the order of ${requestId} is for ${order.taker}, not for ${wallet}`)
    const isOfSide = side === undefined || order.makerSelling === (side === 'buy')
    assert('V2', requestId, isOfSide, () => `the order of ${requestId} is not of the side of its commit, ${side}`)
    const isFillable = order.validUntil * 1_000 > at
    assert('V2', requestId, isFillable, () => `the order of ${requestId} had ended when it was revealed`)
    const isWithin = limitPrice === null || isNoWorse(order, limitPrice)
    assert('V2', requestId, isWithin, () => `the order of ${requestId} is beyond the limit of ${limitPrice}`)
  }
}

function checkAmounts(
  request: RequestHistory,
  assert: Assert,
  { quoteId, order }: { quoteId: string; order: OrderSeen },
): void {
  const { requestId } = request
  const [opened] = request.of('request_opened')
  const made = request.of('quote').filter((quote) => !quote.isRefused && (quote.quoteId ?? quoteId) === quoteId)
  // Of a request or a quote whose answer was lost with its node there is nothing to compare with.
  if (opened === undefined || made.length === 0) return
  const isRight = (quote: QuoteSeen) => {
    const filled = fillOf(opened, quote)
    const price = order.makerSelling ? quote.price : (quote.otherPrice ?? quote.price)
    return order.optionAmount === String(filled) && order.premiumAmount === String(filled * price)
  }
  assert(
    'V2',
    requestId,
    made.some(isRight),
    () => `${requestId} is ${order.optionAmount} options for ${order.premiumAmount}, which nobody quoted`,
  )
  const isMaker = made.some(({ wallet }) => isSameAddress(wallet, order.maker))
  assert('V2', requestId, isMaker, () => `the order of ${requestId} names ${order.maker}, who did not quote`)
  const side = order.makerSelling ? 'buy' : 'sell'
  const isRightWay =
    opened.side === 'both'
      ? request.of('commit').some((commit) => commit.side === side && isSameAddress(commit.wallet, order.taker))
      : opened.side === side
  assert('V2', requestId, isRightWay, () => `the order of ${requestId} is the wrong way round`)
}

/** Whole options of the budget, never more than the maker has (specification, "Quote request") or than the taker names (inventory-4). */
const fillOf = ({ budget, size }: ObservationOf<'request_opened'>, quote: QuoteSeen): bigint => {
  const bounds = [quote.size]
  if (budget !== null) bounds.push((budget - (budget % quote.price)) / quote.price)
  if (size !== null || budget === null) bounds.push(size ?? 0n)
  return bounds.reduce((least, bound) => (bound < least ? bound : least))
}

const isNoWorse = ({ makerSelling, optionAmount, premiumAmount }: OrderSeen, limit: bigint): boolean => {
  const most = BigInt(optionAmount) * limit
  return makerSelling ? BigInt(premiumAmount) <= most : BigInt(premiumAmount) >= most
}

/** Two texts of one address: its case is only a checksum. */
export const isSameAddress = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()
