import type { Static } from 'typebox'
import * as Type from 'typebox'
import { ORDER_TYPES, type Order, type TypedDataDomain } from '../domain/order.ts'
import { type Address, contracts, usd6 } from '../domain/units.ts'
import * as field from './field.ts'
import { decodeUint256 } from './fields.ts'
import { AnyAddressText, Count, described, Flag, Text, Uint256Text } from './schemas.ts'

/** An order in JSON (protocol commit-7). */
export const OrderFields = Type.Object({
  maker: field.maker,
  seriesId: field.seriesId,
  optionAmount: described(Uint256Text, 'Whole options, as a decimal string.', '833'),
  premiumAmount: described(Uint256Text, 'Premium in micro-dollars, as a decimal string.', '99960000'),
  makerSelling: described(Flag, 'True when the maker sells: the taker buys.', true),
  taker: described(
    AnyAddressText,
    'The only wallet that can call `fill()`.',
    '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  ),
  validUntil: field.validUntil,
  nonce: described(Count, "Nonce of the order, unique for the maker's wallet.", 4_294_967_296),
})

export const DomainFields = Type.Object({
  name: described(Text, 'Name of the contract.', 'ServiceRFQSettlement'),
  version: described(Text, 'Version of the domain.', '1'),
  chainId: field.chainId,
  verifyingContract: described(
    AnyAddressText,
    'The contract that verifies; the zero address in simulated mode.',
    '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512',
  ),
})

const StructFields = Type.Array(
  Type.Object({ name: described(Text, 'Name of the field.'), type: described(Text, 'Type of the field.') }),
)

export const structOf = (fields: readonly { name: string; type: string }[]) =>
  described(StructFields, 'The fields of the struct in order.', fields)

/** The EIP-712 type list that goes with an order. */
export const OrderTypes = described(
  Type.Object({ Order: structOf(ORDER_TYPES.Order) }),
  'The EIP-712 types to sign with.',
)

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

export const decodeDomain = (domain: Static<typeof DomainFields>): TypedDataDomain => ({
  ...domain,
  verifyingContract: domain.verifyingContract as Address,
})
