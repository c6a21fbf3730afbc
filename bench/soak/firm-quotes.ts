import { accountOf } from '../../src/client/from-text.ts'
import { type Order, orderDigest } from '../../src/protocol/domain/order.ts'
import type { Hex } from '../../src/protocol/domain/units.ts'
import { encodeConfirm } from '../../src/protocol/wire/confirm.ts'
import { decodeDomain, decodeOrder } from '../../src/protocol/wire/order.ts'
import type { ObservationOf, OrderSeen } from '../../test/invariants/observation.ts'
import type { Collector } from './collector.ts'
import type { Answer } from './http-connection.ts'

/** What a maker does with a quote that it has signed beforehand. */
export type AfterFirm = 'keep' | 'requote' | 'withdraw'

/** One firm quote in so many is quoted again, and one is withdrawn. */
const CHANGES_ONE_IN = 4

/** Whether a maker makes its quotes firm: one of four, half of these on the socket, all of these killed where any is. */
export const quotesFirm = (index: number): boolean => index % 4 === 1

/** What comes of the quotes that a maker has signed beforehand, in turn. */
export function createFirmHabits(): () => AfterFirm {
  let madeFirm = 0
  return () => {
    madeFirm += 1
    const turn = madeFirm % CHANGES_ONE_IN
    return turn === 1 ? 'requote' : turn === 2 ? 'withdraw' : 'keep'
  }
}

/** An order as it is observed. */
export const orderSeen = (order: Order): OrderSeen => ({
  ...order,
  optionAmount: String(order.optionAmount),
  premiumAmount: String(order.premiumAmount),
})

type Making = {
  requestId: string
  makerId: string
  privateKey: Hex
  /** The answer to the quote. */
  text: string
  collector: Pick<Collector, 'observe' | 'moment'>
  send: (path: string, body: object, onWritten: () => void) => Promise<Answer>
}

/** Signs the order of a quote, where its answer has one, and hands it in; the relay's answer, or null where there was no order. */
export async function makeQuoteFirm(input: Making): Promise<Answer | null> {
  const { requestId, makerId, privateKey, text, send } = input
  const { observe, moment } = input.collector
  const quoted = JSON.parse(text)
  if (quoted.order === undefined) return null
  const { quoteId } = quoted
  const [order, domain] = [decodeOrder(quoted.order), decodeDomain(quoted.domain)]
  const signature = (await accountOf(privateKey).sign?.({ hash: orderDigest(order, domain) })) as Hex
  const firm: ObservationOf<'quote_sealed'> = {
    ...{ kind: 'quote_sealed', requestId, makerId, quoteId, order: orderSeen(order), domain },
    ...{ signature: signature.slice(2), sent: moment(), answered: null, status: 0 },
  }
  // A commit may be answered with it before its own answer is read.
  const onWritten = () => observe(Object.assign(firm, { sent: moment() }))
  const answered = await send(`/v1/mm/quotes/${quoteId}/firm`, encodeConfirm(signature), onWritten)
  Object.assign(firm, { answered: moment(), status: answered.status })
  return answered
}
