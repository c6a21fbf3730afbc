import type { PartnerFee } from '@rfqctl/protocol/domain/partner-fee'
import type { Address } from '@rfqctl/protocol/domain/units'
import type { Operations } from '../core/operations.ts'
import type { Clock, Log } from '../core/ports/runtime.ts'
import type { Relay } from '../core/relay.ts'
import type { ConnectionLimits } from './connections.ts'
import type { FaucetShare } from './faucet-shares.ts'
import type { WebPages } from './pages/files.ts'
import type { SandboxChain } from './pages/sandbox-chain.ts'
import type { Charge, RequestRate } from './plugins/request-rates.ts'
import type { TurnBudgets } from './plugins/turn-budget.ts'
import type { Shutdown } from './shutdown.ts'
import type { createFold, Hold } from './sse/fan-out.ts'
import type { FeedPace } from './sse/feed-pace.ts'
import type { MakerHub } from './sse/maker-hub.ts'
import type { OperatorHub } from './sse/operator-stream.ts'
import type { StreamRegistry } from './sse/stream-registry.ts'
import type { SocketRegistry } from './ws/socket-registry.ts'

export type ServerSettings = {
  software: string
  wsAuthTimeoutMs: number
  maxStreamsPerKey: number
  maxStreamsPerAddress: number | null
  /** Open connections of any kind; null: no limit. */
  maxConnections: number | null
  maxConnectionsPerAddress: number | null
  /** Longest wait of a connection for its next request. */
  keepAliveMs: number
  trustProxy: boolean | number | string
  corsOrigins: '*' | readonly string[]
  /** Per client address, on costly routes; null: no bound. */
  requestRate: RequestRate | null
  /** Per client address; null: no bound. */
  faucetShare: FaucetShare | null
  /** Required to prepare settlements; null: anyone may (decision S1). */
  settlementApiKey: string | null
  /** Required for `/ops`; null: no one may use it. */
  operatorToken: string | null
  /** Offered to takers; null for none. */
  relayerUrl: string | null
  /** Served before, shown so that wallets withdraw what they approved there. */
  formerSettlementAddresses: readonly Address[]
  /** A block explorer of the chain, shown to pages; null for none. */
  explorerUrl: string | null
  /** Paid by takers on the pages; null for none. */
  partnerFee: PartnerFee | null
}

export type RouteContext = {
  relay: Relay
  operations: Operations
  clock: Clock
  log: Log
  settings: ServerSettings
  limits: ConnectionLimits
  shutdown: Shutdown
  streams: StreamRegistry
  turns: TurnBudgets
  charge: Charge
  makerHub: MakerHub
  feedPace: FeedPace
  foldTops: ReturnType<typeof createFold>
  hold: Hold
  operatorHub: OperatorHub
  sockets: SocketRegistry
  web: WebPages | null
  sandbox: SandboxChain | null
  onQueryKey: () => void
}
