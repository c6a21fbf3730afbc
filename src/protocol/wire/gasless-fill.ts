import type { Static } from 'typebox'
import * as Type from 'typebox'
import { type GaslessFill, PAYMENT_METHODS, type Payment } from '../domain/gasless-fill.ts'
import type { Order } from '../domain/order.ts'
import { MAX_PARTNER_BPS, type PartnerFee } from '../domain/partner-fee.ts'
import { MAX_SIGNATURE_BYTES } from '../domain/signature.ts'
import { contracts, type Hex, type Usd6, usd6 } from '../domain/units.ts'
import { decodeAddress, decodeBytes32, decodeUint256 } from './fields.ts'
import { encodeOrder, OrderFields } from './order.ts'
import { createBodyReader, invalidField } from './reader.ts'
import { AddressText, Bytes32Text, oneOf, optional, Uint256Text } from './schemas.ts'

/** The digits of one, checked by a length of their own: a bounded repetition of thousands is slow to compile. */
const SignatureText = Type.String({
  pattern: '^0x(?:[0-9a-fA-F]{2})*$',
  maxLength: 2 + 2 * MAX_SIGNATURE_BYTES,
  must: `at most ${MAX_SIGNATURE_BYTES} bytes in hex`,
  writeOnly: true,
})

const SignedSeconds = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  must: 'an integer of Unix seconds',
})

const PaymentFields = Type.Object({
  method: oneOf(...PAYMENT_METHODS),
  value: Uint256Text,
  nonce: Uint256Text,
  deadline: SignedSeconds,
  signature: SignatureText,
})

const PartnerFeeFields = Type.Object({
  recipient: AddressText,
  bps: Type.Integer({ minimum: 1, maximum: MAX_PARTNER_BPS, must: `an integer 1..${MAX_PARTNER_BPS}` }),
})

/** The fill that a taker sends to a relayer: amounts and nonces are decimal strings, times Unix seconds. */
export const GaslessFillBody = Type.Object({
  order: OrderFields,
  makerSignature: SignatureText,
  payment: PaymentFields,
  authorization: Type.Object({
    orderHash: Bytes32Text,
    maxFee: Uint256Text,
    feeRecipient: AddressText,
    deadline: SignedSeconds,
    partnerFee: optional(PartnerFeeFields),
  }),
  takerSignature: SignatureText,
})

const readFill = createBodyReader(GaslessFillBody)

export function encodeGaslessFill(input: GaslessFill): Static<typeof GaslessFillBody> {
  const { order, makerSignature, payment, takerSignature } = input
  const { partnerFee, ...authorization } = input.authorization
  return {
    order: encodeOrder(order),
    makerSignature,
    payment: { ...payment, value: `${payment.value}`, nonce: `${payment.nonce}` },
    authorization: {
      ...authorization,
      maxFee: `${authorization.maxFee}`,
      ...(partnerFee === null ? {} : { partnerFee }),
    },
    takerSignature,
  }
}

/** A fill as a stranger sends it, each figure within what the contract can hold; whether it can be filled is for the chain to say. */
export function decodeGaslessFill(body: unknown): GaslessFill {
  const { order, makerSignature, payment, authorization, takerSignature } = readFill(body)
  const { orderHash, maxFee, feeRecipient, deadline, partnerFee } = authorization
  return {
    order: decodeStrangersOrder(order),
    makerSignature: makerSignature as Hex,
    payment: decodePayment(payment),
    authorization: {
      orderHash: decodeBytes32(orderHash),
      maxFee: usd6Of(maxFee, 'authorization.maxFee'),
      feeRecipient: decodeAddress(feeRecipient, 'authorization.feeRecipient'),
      deadline,
      partnerFee: decodePartnerFee(partnerFee),
    },
    takerSignature: takerSignature as Hex,
  }
}

function decodePartnerFee(fee: Static<typeof PartnerFeeFields> | null | undefined): PartnerFee | null {
  if (fee === null || fee === undefined) return null
  return { recipient: decodeAddress(fee.recipient, 'authorization.partnerFee.recipient'), bps: fee.bps }
}

function decodePayment({ method, value, nonce, deadline, signature }: Static<typeof PaymentFields>): Payment {
  return {
    method,
    value: usd6Of(value, 'payment.value'),
    nonce: uint256Of(nonce, 'payment.nonce'),
    deadline,
    signature: signature as Hex,
  }
}

/** An order that does not come from the relay: no word of it is taken on trust. */
function decodeStrangersOrder(order: Static<typeof OrderFields>): Order {
  return {
    maker: decodeAddress(order.maker, 'order.maker'),
    seriesId: decodeUint256(order.seriesId, 'order.seriesId'),
    optionAmount: contracts(uint256Of(order.optionAmount, 'order.optionAmount')),
    premiumAmount: usd6Of(order.premiumAmount, 'order.premiumAmount'),
    makerSelling: order.makerSelling,
    taker: decodeAddress(order.taker, 'order.taker'),
    validUntil: decodeCount(order.validUntil, 'order.validUntil'),
    nonce: decodeCount(order.nonce, 'order.nonce'),
  }
}

function decodeCount(value: number, field: string): number {
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw invalidField(field, `an integer 0..${Number.MAX_SAFE_INTEGER}`, value)
}

const uint256Of = (text: string, field: string): bigint => BigInt(decodeUint256(text, field))

const usd6Of = (text: string, field: string): Usd6 => usd6(uint256Of(text, field))
