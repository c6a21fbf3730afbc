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

/** Read actions that the library needs: viem's `createPublicClient` has all of them and many more, which every page would load. */
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

/** Wallet actions that the library needs. */
const WALLET_CALLS = {
  getAddresses,
  getChainId,
  requestAddresses,
  sendTransaction,
  signTypedData,
  writeContract,
}

/** Client of a node, limited to the actions that the library needs. */
export type ChainReader = Pick<PublicClient, keyof typeof READS | 'request' | 'pollingInterval'>

/** Client of a wallet, limited to the actions that the library needs; any wallet client of viem is one. */
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
