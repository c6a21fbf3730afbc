import Type, { type Static } from 'typebox'
import type { OrderEnd, OrderStanding } from '../domain/order-end.ts'
import { decodeBytes32 } from './fields.ts'
import { Bytes32Text, Count, oneOf } from './schemas.ts'

/** How a signed order stands: with transaction and block where one has ended it. */
export const OrderStatusFields = Type.Object({
  state: oneOf('open', 'filled', 'cancelled', 'expired'),
  transactionHash: Type.Optional(Bytes32Text),
  blockNumber: Type.Optional(Count),
})

/** The transaction that ended an order, and its block. */
export const EndedIn = { transactionHash: Bytes32Text, blockNumber: Count }

/** What the wallet of an open order lacks, by which block. */
export const DefundedIn = {
  code: oneOf('maker_insufficient_balance', 'maker_insufficient_allowance'),
  blockNumber: Count,
}

/** How a signed order stands. */
export const encodeOrderStatus = (standing: OrderStanding): Static<typeof OrderStatusFields> => standing

/** How a signed order stands; of a transaction that a relay does not tell it is taken to be open. */
export function decodeOrderStatus({
  state,
  transactionHash,
  blockNumber,
}: Static<typeof OrderStatusFields>): OrderStanding {
  if (state === 'open' || state === 'expired') return { state }
  if (transactionHash === undefined || blockNumber === undefined) return { state: 'open' }
  return { state, ...decodeEndedIn({ transactionHash, blockNumber }) }
}

/** The transaction that ended an order, and its block. */
export const decodeEndedIn = ({
  transactionHash,
  blockNumber,
}: {
  transactionHash: string
  blockNumber: number
}): Omit<Exclude<OrderEnd, { state: 'expired' }>, 'state'> => ({
  transactionHash: decodeBytes32(transactionHash),
  blockNumber,
})
