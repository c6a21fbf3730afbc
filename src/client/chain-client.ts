import { type Chain, type Client, createClient, type PublicClient, type Transport, type WalletClient } from 'viem'
import {
  estimateFeesPerGas,
  estimateGas,
  getAddresses,
  getBalance,
  getBlock,
  getBlockNumber,
  getChainId,
  getCode,
  getTransaction,
  getTransactionCount,
  getTransactionReceipt,
  multicall,
  readContract,
  requestAddresses,
  sendRawTransaction,
  sendTransaction,
  signTypedData,
  simulateContract,
  waitForTransactionReceipt,
  writeContract,
} from 'viem/actions'

/** What the library asks of a node: `createPublicClient` of viem does all of it and much more, which every page would load. */
const READS = {
  estimateFeesPerGas,
  estimateGas,
  getBalance,
  getBlock,
  getBlockNumber,
  getCode,
  getTransaction,
  getTransactionCount,
  getTransactionReceipt,
  multicall,
  readContract,
  sendRawTransaction,
  simulateContract,
  waitForTransactionReceipt,
}

/** The same of a wallet. */
const WALLET_CALLS = {
  getAddresses,
  getChainId,
  requestAddresses,
  sendTransaction,
  signTypedData,
  writeContract,
}

/** A client of a node with what the library asks of it. */
export type ChainReader = Pick<PublicClient, keyof typeof READS | 'request' | 'pollingInterval'>

/** A client of a wallet with what the library asks of it; any wallet client of viem is one. */
export type ChainWriter = Pick<WalletClient, keyof typeof WALLET_CALLS | 'request' | 'account'>

/** Makes a client that reads. */
export const createChainReader = (config: {
  chain: Chain
  transport: Transport
  pollingInterval: number
}): ChainReader => createClient(config).extend((client) => bound(READS, client)) as unknown as ChainReader

/** Makes a client of a wallet. */
export const createChainWriter = (config: { account?: WalletClient['account']; transport: Transport }): ChainWriter =>
  createClient(config as Parameters<typeof createClient>[0]).extend((client) =>
    bound(WALLET_CALLS, client),
  ) as unknown as ChainWriter

/** Actions of viem as methods of a client. */
const bound = (actions: object, client: Client): Record<string, (input: unknown) => unknown> =>
  Object.fromEntries(Object.entries(actions).map(([name, action]) => [name, (input: unknown) => action(client, input)]))
