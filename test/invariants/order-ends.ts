import type { Assert } from './invariants.ts'
import type { ObservationOf, OrderSent } from './observation.ts'

/** Observations of V14: who was asked, who signed, and what was told of the end. */
type Told = ObservationOf<'confirm' | 'order_ended' | 'history_read'> | OrderSent

/** Checks V14 as observations come. */
export type OrderEndChecker = { observe: (observation: Told) => void }

type End = Pick<ObservationOf<'order_ended'>, 'state' | 'transactionHash'>

type Order = {
  /** The earliest end of the orders that its maker was asked to sign, Unix seconds; null: it was not seen to be asked. */
  validUntil: number | null
  confirms: ObservationOf<'confirm'>[]
  /** The first end that was told, and when a socket heard of it first, Unix milliseconds. */
  end: End | null
  heardAt: number
  heardOn: Set<string>
}

/** Orders of which something may still be told. */
const REMEMBERED = 100_000

/** A checker that has observed nothing. News may take `lagMs` until they are observed. */
export function createOrderEndChecker(assert: Assert, { lagMs }: { lagMs: number }): OrderEndChecker {
  const orders = new Map<string, Order>()

  function orderOf(quoteId: string): Order {
    const order = orders.get(quoteId) ?? {
      validUntil: null,
      confirms: [],
      end: null,
      heardAt: Number.POSITIVE_INFINITY,
      heardOn: new Set(),
    }
    orders.set(quoteId, order)
    const [oldest] = orders.keys()
    if (orders.size > REMEMBERED && oldest !== undefined) orders.delete(oldest)
    return order
  }

  /** One end, whoever tells it. */
  function checkSame(order: Order, requestId: string, end: End): void {
    const { end: first } = order
    order.end ??= end
    const isSame = first === null || (first.state === end.state && first.transactionHash === end.transactionHash)
    assert('V14', requestId, isSame, () => `the order of ${requestId} ended ${textOf(first)} and ${textOf(end)}`)
  }

  function hear({ requestId, makerId, socket, quoteId, moment, ...end }: ObservationOf<'order_ended'>): void {
    const order = orderOf(quoteId)
    const { validUntil, confirms, heardOn } = order
    assert('V14', requestId, !heardOn.has(socket), () => `${makerId} heard twice how its order of ${requestId} ended`)
    heardOn.add(socket)
    order.heardAt = Math.min(order.heardAt, moment.at)
    // Of one without an answer it is not known whether it was taken.
    const isSigned = confirms.some(({ status }) => status === 200 || status === 0)
    assert(
      'V14',
      requestId,
      isSigned,
      () => `${makerId} heard that an order of ${requestId} ended, which it never signed`,
    )
    const isOver = end.state !== 'expired' || validUntil === null || moment.at + lagMs > validUntil * 1_000
    assert('V14', requestId, isOver, () => `the order of ${requestId} expired before its time`)
    checkSame(order, requestId, end)
  }

  function read({ makerId, endings, begunAt }: ObservationOf<'history_read'>): void {
    for (const { requestId, quoteId, orderStatus } of endings) {
      if (orderStatus === undefined) continue
      const { state, transactionHash = null } = orderStatus
      if (state !== 'open') {
        checkSame(orderOf(quoteId), requestId, { state, transactionHash })
        continue
      }
      const isKept = begunAt === undefined || (orders.get(quoteId)?.heardAt ?? begunAt) + lagMs >= begunAt
      const found = () => `the history of ${makerId} has the order of ${requestId} open, which had ended`
      assert('V14', requestId, isKept, found)
    }
  }

  return {
    observe: (observation) => {
      if (observation.kind === 'order_ended') return hear(observation)
      if (observation.kind === 'history_read') return read(observation)
      if (observation.kind === 'confirm') return void orderOf(observation.quoteId).confirms.push(observation)
      const order = orderOf(observation.quoteId)
      order.validUntil = Math.min(order.validUntil ?? Number.POSITIVE_INFINITY, observation.order.validUntil)
    },
  }
}

const textOf = (end: End | null): string =>
  end === null ? '' : `${end.state}${end.transactionHash === null ? '' : ` by ${end.transactionHash}`}`
