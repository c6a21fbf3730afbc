import {
  createPublicClient,
  defineChain,
  http,
  type PublicClient,
  type TestActions,
  type Transport,
  testActions,
  type WalletActions,
  walletActions,
} from 'viem'

export const devnetChain = defineChain({
  id: 80_002,
  name: 'rfqctl devnet',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [] } },
})

/** Anvil mines a transaction within milliseconds. */
const POLLING_INTERVAL_MS = 10

/** A client of our own Anvil, which may also warp and send from its unlocked accounts. */
export type DevClient = PublicClient<Transport, typeof devnetChain> & TestActions & WalletActions<typeof devnetChain>

const TIMEOUT_MS = 10_000

/** Calls of one turn of the event loop travel in one batch, and nothing is sent twice. */
export function createDevClient(rpcUrl: string, { timeoutMs = TIMEOUT_MS }: { timeoutMs?: number } = {}): DevClient {
  return createPublicClient({
    chain: devnetChain,
    transport: http(rpcUrl, { batch: true, retryCount: 0, timeout: timeoutMs }),
    pollingInterval: POLLING_INTERVAL_MS,
  })
    .extend(testActions({ mode: 'anvil' }))
    .extend(walletActions)
}
