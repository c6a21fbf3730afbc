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

/** The server's settings, in the units that their names say. */
export type ServerSettings = {
  /** The version of this program. */
  software: string
  wsAuthTimeoutMs: number
  maxStreamsPerKey: number
  maxStreamsPerAddress: number | null
  /** Open connections of any kind, in all and per address; null: no cap. */
  maxConnections: number | null
  maxConnectionsPerAddress: number | null
  /** How long a connection may wait for its next request. */
  keepAliveMs: number
  trustProxy: boolean | number | string
  corsOrigins: '*' | readonly string[]
  /** What an address may ask of costly routes; null: no bound. */
  requestRate: RequestRate | null
  /** What an address may have of the faucet; null: no bound. */
  faucetShare: FaucetShare | null
  /** Who may prepare settlements; null: anyone (decision S1). */
  settlementApiKey: string | null
  /** Who may use `/ops`; null: no one. */
  operatorToken: string | null
  /** A relayer that takers are told of; null for none. */
  relayerUrl: string | null
}

/** What every route is given. */
export type RouteContext = {
  relay: Relay
  operations: Operations
  clock: Clock
  log: Log
  settings: ServerSettings
  limits: ConnectionLimits
  shutdown: Shutdown
  streams: StreamRegistry
  /** The budget of each turn of the event loop, for all that comes in. */
  turns: TurnBudgets
  /** Charges a client address for what costs the relay something. */
  charge: Charge
  makerHub: MakerHub
  feedPace: FeedPace
  /** Folds what takers are shown of the book. */
  foldTops: ReturnType<typeof createFold>
  /** Holds what is cheaper together. */
  hold: Hold
  operatorHub: OperatorHub
  sockets: SocketRegistry
  /** The pages; null where the relay serves none. */
  web: WebPages | null
  /** The chain of a sandbox; null where the relay has none for its pages. */
  sandbox: SandboxChain | null
  /** To be called for a maker key that came in a query. */
  onQueryKey: () => void
}
