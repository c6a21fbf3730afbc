import type { Static } from 'typebox'
import * as Type from 'typebox'
import type { RelayerTerms } from '../domain/gasless-fill.ts'
import type { Hex, Usd6 } from '../domain/units.ts'
import { decodeAddress, decodeBytes32, decodeUint256 } from './fields.ts'
import { createReader, invalidField } from './reader.ts'
import { AnyAddressText, Bytes32Text, Count, Flag, nullable, oneOf, successOf, Text, Uint256Text } from './schemas.ts'

/** The terms of a relayer, as JSON: sums in micro-dollars and wei, as decimal text. */
export const RelayerAnswer = successOf({
  chainId: Count,
  settlementAddress: AnyAddressText,
  wallet: AnyAddressText,
  feeRecipient: AnyAddressText,
  fee: Uint256Text,
  accepting: Flag,
  reason: nullable(Text),
  limits: Type.Object({
    maxGas: Uint256Text,
    maxGasPrice: Uint256Text,
    maxCoinPerDay: Uint256Text,
    maxFillsPerHour: Count,
    maxFillsPerClient: Count,
    maxQueue: Count,
  }),
})

export const FillStatusAnswer = successOf({
  orderHash: Bytes32Text,
  status: oneOf('queued', 'sent', 'filled', 'failed'),
  transactionHash: nullable(Bytes32Text),
  failure: nullable(oneOf('refused', 'reverted', 'unmined', 'shutting_down')),
  reason: nullable(Text),
})

/** A fill that was submitted to a relayer. */
export type RelayedFill = {
  /** The EIP-712 digest of the order. */
  orderHash: Hex
  /** Waiting for its turn; sent, not mined; filled on the chain, by anyone; or failed. */
  status: 'queued' | 'sent' | 'filled' | 'failed'
  /** The newest transaction of the relayer, or the one that filled the order; null before it is sent. */
  transactionHash: Hex | null
  /**
   * Why it failed: it would revert when its turn came; it was mined and reverted; it was not mined in time and may be yet; or the
   * relayer shut down before it was sent. Null unless it did.
   */
  failure: 'refused' | 'reverted' | 'unmined' | 'shutting_down' | null
  /** The same as a sentence. */
  reason: string | null
}

const readTerms = createReader(RelayerAnswer, 'the answer')
const readFill = createReader(FillStatusAnswer, 'the answer')

export const encodeRelayerTerms = (terms: RelayerTerms): Static<typeof RelayerAnswer> => ({
  success: true,
  chainId: terms.chainId,
  settlementAddress: terms.settlementAddress,
  wallet: terms.wallet,
  feeRecipient: terms.feeRecipient,
  fee: `${terms.fee}`,
  accepting: terms.isAccepting,
  reason: terms.reason,
  limits: {
    maxGas: `${terms.maxGas}`,
    maxGasPrice: `${terms.maxGasPrice}`,
    maxCoinPerDay: `${terms.maxCoinPerDay}`,
    maxFillsPerHour: terms.maxFillsPerHour,
    maxFillsPerClient: terms.maxFillsPerClient,
    maxQueue: terms.maxQueue,
  },
})

/** The terms of a relayer, which is a stranger to who asks. */
export function decodeRelayerTerms(body: unknown): RelayerTerms {
  const { chainId, settlementAddress, wallet, feeRecipient, fee, accepting, reason, limits } = readTerms(body)
  const sum = (text: string, field: string) => BigInt(decodeUint256(text, field))
  return {
    chainId,
    settlementAddress: decodeAddress(settlementAddress, 'settlementAddress'),
    wallet: decodeAddress(wallet, 'wallet'),
    feeRecipient: decodeAddress(feeRecipient, 'feeRecipient'),
    fee: sum(fee, 'fee') as Usd6,
    isAccepting: accepting,
    reason,
    ...limits,
    maxGas: sum(limits.maxGas, 'limits.maxGas'),
    maxGasPrice: sum(limits.maxGasPrice, 'limits.maxGasPrice'),
    maxCoinPerDay: sum(limits.maxCoinPerDay, 'limits.maxCoinPerDay'),
  }
}

export const encodeRelayedFill = (fill: RelayedFill): Static<typeof FillStatusAnswer> => ({ success: true, ...fill })

export function decodeRelayedFill(body: unknown): RelayedFill {
  const { orderHash, status, transactionHash, failure, reason } = readFill(body)
  return {
    orderHash: decodeBytes32(orderHash),
    status,
    transactionHash: transactionHash === null ? null : decodeBytes32(transactionHash),
    failure,
    reason,
  }
}

export function decodeOrderHash(text: string): Hex {
  if (!/^0x[0-9a-fA-F]{64}$/.test(text)) throw invalidField('orderHash', 'a bytes32 in hex: 0x and 64 digits', text)
  return decodeBytes32(text)
}
