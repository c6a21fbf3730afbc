import { verifyTypedData } from 'ethers'
import { ORDER_TYPES, type Order } from '../../conformance/harness/eip712.ts'
import type { History, MakerMessage, Opened, QuoteSeen } from './history.ts'

export type Accepted = Extract<MakerMessage, { type: 'quote:accepted' }> & { makerId: string }

/** How far two nodes may disagree on the database's time, in milliseconds: half a round trip each, on a busy machine. */
const CLOCKS_MS = 500

/** Every order that some maker was asked to sign, once, in the order of their deadlines. */
export function acceptedIn({ sockets }: History): Accepted[] {
  const known = new Map<string, Accepted>()
  for (const { makerId, messages } of sockets) {
    for (const message of messages) {
      if (message.type === 'quote:accepted')
        known.set(`${message.quoteId} ${message.deadline}`, { ...message, makerId })
    }
  }
  return [...known.values()].sort((a, b) => a.deadline - b.deadline)
}

/** V1: one signed order a request, one winner, one maker that is asked at a time, and nonces of which only one can fill. */
export function* moreThanOneOrder(history: History): Generator<string> {
  const executions = new Map<string, string>()
  for (const { requestId, executionId } of history.commits) {
    if (executionId === null) continue
    const first = executions.get(requestId) ?? executionId
    executions.set(requestId, first)
    if (first !== executionId) yield `V1: ${requestId} was answered with two orders, ${first} and ${executionId}`
  }
  const winners = new Map<string, string>()
  for (const { makerId, messages } of history.sockets) {
    for (const { type, requestId } of messages) {
      if (type !== 'quote:confirmed') continue
      const first = winners.get(requestId) ?? makerId
      winners.set(requestId, first)
      if (first !== makerId) yield `V1: ${requestId} was won by ${first} and by ${makerId}`
    }
  }
  yield* askedTogether(history)
  yield* reusedNonces(acceptedIn(history))
}

/** A maker is asked once the one before it has missed its deadline or declined. */
function* askedTogether(history: History): Generator<string> {
  const former = new Map<string, Accepted>()
  for (const next of acceptedIn(history)) {
    const last = former.get(next.requestId)
    former.set(next.requestId, next)
    if (last === undefined || history.declines.some(({ quoteId }) => quoteId === last.quoteId)) continue
    if (next.deadline - history.confirmationMs + CLOCKS_MS < last.deadline) {
      yield `V1: ${next.makerId} was asked for ${next.requestId} while ${last.makerId} could sign`
    }
  }
}

function* reusedNonces(asked: readonly Accepted[]): Generator<string> {
  const requestOf = new Map<string, string>()
  const nonceOf = new Map<string, number>()
  for (const { requestId, order } of asked) {
    const { maker, nonce } = order
    const first = requestOf.get(`${maker} ${nonce}`) ?? requestId
    requestOf.set(`${maker} ${nonce}`, first)
    if (first !== requestId) yield `V1: nonce ${nonce} of ${maker} was given to ${first} and to ${requestId}`
    const same = nonceOf.get(`${maker} ${requestId}`) ?? nonce
    nonceOf.set(`${maker} ${requestId}`, same)
    if (same !== nonce) yield `V1: ${maker} got the nonces ${same} and ${nonce} for ${requestId}`
  }
}

/** V2: what a maker is asked to sign, and what a taker is given, is what was quoted and signed by whom it names. */
export function* wrongOrders(history: History): Generator<string> {
  for (const { requestId, quoteId, order, deadline } of acceptedIn(history)) {
    const wallets = history.commits.filter((commit) => commit.requestId === requestId).map(({ wallet }) => wallet)
    if (!wallets.includes(order.taker)) yield `V2: ${requestId} is to be signed for ${order.taker}, who did not commit`
    if (order.validUntil * 1_000 <= deadline) yield `V2: ${requestId} is to be signed after its order has ended`
    yield* wrongAmounts(history, { requestId, quoteId, order })
  }
  for (const { requestId, wallet, answeredAt, revealed } of history.commits) {
    if (revealed === null) continue
    const { order, domain, signature } = revealed
    const signer = verifyTypedData(domain, ORDER_TYPES, order, signature)
    if (signer !== order.maker) yield `V2: the order of ${requestId} names ${order.maker} and was signed by ${signer}`
    if (order.taker !== wallet) yield `V2: the order of ${requestId} is for ${order.taker}, not for ${wallet}`
    if (order.validUntil * 1_000 <= answeredAt) yield `V2: the order of ${requestId} had ended when it was revealed`
  }
}

function* wrongAmounts(
  { opened, quotes }: History,
  { requestId, quoteId, order }: { requestId: string; quoteId: string; order: Order },
): Generator<string> {
  const request = opened.find((one) => one.requestId === requestId)
  const made = quotes.filter((quote) => quote.requestId === requestId && (quote.quoteId ?? quoteId) === quoteId)
  if (request === undefined || made.length === 0) return
  const isRight = (quote: QuoteSeen) => {
    const filled = fillOf(request, quote)
    return order.optionAmount === String(filled) && order.premiumAmount === String(filled * quote.price)
  }
  if (!made.some(isRight)) {
    yield `V2: ${requestId} is ${order.optionAmount} options for ${order.premiumAmount}, which nobody quoted`
  }
}

/** Whole options of the budget, never more than the maker has (specification, "Quote request"). */
const fillOf = ({ budget, size }: Opened, quote: QuoteSeen): bigint => {
  const wanted = budget === null ? (size ?? 0n) : (budget - (budget % quote.price)) / quote.price
  return wanted < quote.size ? wanted : quote.size
}
