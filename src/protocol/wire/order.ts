import Type, { type Static } from 'typebox'
import { ORDER_TYPES, type Order, type TypedDataDomain } from '../domain/order.ts'
import { type Address, contracts, usd6 } from '../domain/units.ts'
import { decodeUint256 } from './fields.ts'
import { AnyAddressText, Count, Flag, Text, Uint256Text, UnixSeconds } from './schemas.ts'

/** An order in JSON (protocol commit-7). */
export const OrderFields = Type.Object({
  maker: AnyAddressText,
  seriesId: Uint256Text,
  optionAmount: Uint256Text,
  premiumAmount: Uint256Text,
  makerSelling: Flag,
  taker: AnyAddressText,
  validUntil: UnixSeconds,
  nonce: Count,
})

/** An EIP-712 domain. */
export const DomainFields = Type.Object({
  name: Text,
  version: Text,
  chainId: Count,
  verifyingContract: AnyAddressText,
})

/** One struct of an EIP-712 type list. */
export const StructFields = Type.Array(Type.Object({ name: Text, type: Text }))

/** The EIP-712 type list that goes with an order. */
export const OrderTypes = Type.Object({ Order: StructFields })

/** The type list of orders as JSON. */
export const ORDER_TYPE_LIST: Static<typeof OrderTypes> = { Order: ORDER_TYPES.Order.map((field) => ({ ...field })) }

/** An order as JSON: amounts are decimal strings, times and nonces numbers. */
export function encodeOrder(order: Order): Static<typeof OrderFields> {
  return {
    maker: order.maker,
    seriesId: order.seriesId,
    optionAmount: order.optionAmount.toString(),
    premiumAmount: order.premiumAmount.toString(),
    makerSelling: order.makerSelling,
    taker: order.taker,
    validUntil: order.validUntil,
    nonce: order.nonce,
  }
}

/** An order whose schema was checked. */
export function decodeOrder(order: Static<typeof OrderFields>): Order {
  return {
    ...order,
    maker: order.maker as Address,
    seriesId: decodeUint256(order.seriesId, 'order.seriesId'),
    optionAmount: contracts(BigInt(order.optionAmount)),
    premiumAmount: usd6(BigInt(order.premiumAmount)),
    taker: order.taker as Address,
  }
}

/** A domain whose schema was checked. */
export const decodeDomain = (domain: Static<typeof DomainFields>): TypedDataDomain => ({
  ...domain,
  verifyingContract: domain.verifyingContract as Address,
})
