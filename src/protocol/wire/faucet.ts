import type { Static } from 'typebox'
import * as Type from 'typebox'
import { formatUsd6, usd6ToNumber } from '../domain/decimal.ts'
import type { Address, Hex, Usd6 } from '../domain/units.ts'
import * as field from './field.ts'
import { decodeAddress, decodeUsd6 } from './fields.ts'
import { createBodyReader, createReader } from './reader.ts'
import { described, Flag, HexText, nullable, successOf } from './schemas.ts'

export const DripBody = Type.Object({ wallet: field.wallet })

export const DripAnswer = successOf({
  amount: field.amount,
  txHash: described(HexText, 'Hash of the transaction.', `0x${'c0ffee11'.repeat(8)}`),
  message: field.message,
})

/** The faucet's amount and cooldown; `amount` and `cooldownMs` are null without a faucet. */
export const FaucetStatusAnswer = successOf({
  configured: described(Flag, 'Whether it is configured.', true),
  amount: nullable(field.amount),
  cooldownMs: nullable(field.cooldownMs),
})

const readDrip = createBodyReader(DripBody)
const readDripped = createReader(DripAnswer, 'the answer')

export const decodeDrip = (body: unknown): Address => decodeAddress(readDrip(body).wallet, 'wallet')

export const encodeDrip = (wallet: Address): Static<typeof DripBody> => ({ wallet })

export const encodeFaucetStatus = (
  terms: { amount: Usd6; cooldownMs: number } | null,
): Static<typeof FaucetStatusAnswer> => ({
  success: true,
  configured: terms !== null,
  amount: terms === null ? null : usd6ToNumber(terms.amount),
  cooldownMs: terms?.cooldownMs ?? null,
})

export function encodeDripped({ amount, txHash }: { amount: Usd6; txHash: Hex }): Static<typeof DripAnswer> {
  return { success: true, amount: usd6ToNumber(amount), txHash, message: `Sent ${formatUsd6(amount)} test dollars.` }
}

export function decodeDripped(answer: unknown): { amount: Usd6; txHash: Hex; message: string } {
  const { amount, txHash, message } = readDripped(answer)
  return { amount: decodeUsd6(amount, 'half-up', 'amount'), txHash: txHash as Hex, message }
}
