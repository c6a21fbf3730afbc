import type { Static } from 'typebox'
import * as Type from 'typebox'
import type { OrderState } from '../domain/order-end.ts'
import * as field from './field.ts'
import { decodeBytes32 } from './fields.ts'
import { described, oneOf } from './schemas.ts'

export const OrderStatusFields = described(
  Type.Object({
    state: described(
      oneOf('open', 'filled', 'cancelled', 'expired'),
      '`open` while the order can be filled, else how it ended.',
      'filled',
      'open',
    ),
    transactionHash: Type.Optional(field.transactionHash),
    blockNumber: Type.Optional(field.blockNumber),
  }),
  'Status of the signed order, by final blocks; absent where that is not known.',
)

export const EndedIn = { transactionHash: field.transactionHash, blockNumber: field.blockNumber }

/** The missing balance or allowance of an open order's wallet, as of a block. */
export const DefundedIn = {
  code: described(oneOf('maker_insufficient_balance', 'maker_insufficient_allowance'), field.code),
  blockNumber: field.blockNumber,
}

export const encodeOrderStatus = (standing: OrderState): Static<typeof OrderStatusFields> => standing

/** Reads the standing of a signed order; an order counts as open if the relay does not send its transaction. */
export function decodeOrderStatus(status: Static<typeof OrderStatusFields>): OrderState {
  const { state, transactionHash, blockNumber } = status
  if (state === 'open' || state === 'expired') return { state }
  if (transactionHash === undefined || blockNumber === undefined) return { state: 'open' }
  return { state, ...decodeEndedIn({ transactionHash, blockNumber }) }
}

export const decodeEndedIn = (end: { transactionHash: string; blockNumber: number }) => ({
  transactionHash: decodeBytes32(end.transactionHash),
  blockNumber: end.blockNumber,
})
