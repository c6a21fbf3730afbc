import { createPublicClient, http, type PublicClient } from 'viem'

export type ChainClient = PublicClient

/** Interval of looks for a receipt, milliseconds: quick enough for Anvil, and light on a public node. */
const SLOW_INTERVAL_MS = 200

/** Calls of one turn of the event loop travel in one batch. */
export const createChainClient = (rpcUrl: string): ChainClient =>
  createPublicClient({ transport: http(rpcUrl, { batch: true }), pollingInterval: SLOW_INTERVAL_MS })
