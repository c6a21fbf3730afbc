import type { Hex } from '@rfqctl/protocol/domain/units'
import { http, type LocalAccount, type Transport } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

/** An account whose key is here. */
export type KeyAccount = LocalAccount

/** The account of a private key, for callers that do not know viem. */
export const accountOf = (privateKey: Hex): KeyAccount => privateKeyToAccount(privateKey)

/** A private key that no wallet has. */
export const newPrivateKey = (): Hex => generatePrivateKey()

/** JSON-RPC over HTTP, for callers that do not know viem. */
export const transportOf = (rpcUrl: string): Transport => http(rpcUrl)
