import { createPublicClient, http, type PublicClient } from 'viem'

/** A client of any chain, which signs for no one. */
export type ChainClient = PublicClient

/** How often a mined receipt is looked for, milliseconds: quick enough for Anvil, and little to ask of a public node. */
const SLOW_INTERVAL_MS = 200

/** A client of the chain at an RPC URL. Calls of one turn of the event loop travel in one batch. */
export const createChainClient = (rpcUrl: string): ChainClient =>
  createPublicClient({ transport: http(rpcUrl, { batch: true }), pollingInterval: SLOW_INTERVAL_MS })
