import type { AuditEntry } from '@rfqctl/protocol/domain/audit'
import type { Usd6 } from '@rfqctl/protocol/domain/units'
import type { LiveMarket, Ports, Runtime, Sources } from './ports.ts'
import type { Stop } from './runtime.ts'

/** An entry of the audit log with its place in it. Ids rise and are never repeated, also across restarts. */
export type AuditEvent = { id: number; entry: AuditEntry }

/** The newest part of the audit log, for operators that look on. */
export type AuditFeed = {
  /** The id of the newest entry, or the id before the first. */
  position: () => Promise<number>
  /** The newest entries, at most `limit`, oldest first. */
  newest: (limit: number) => Promise<readonly AuditEvent[]>
  /** The entries after an id, oldest first; null when that id is not one that the feed can continue from. */
  since: (id: number) => Promise<readonly AuditEvent[] | null>
  /** Passes on entries soon after they were recorded, several at once. */
  listen: (onEvents: (events: readonly AuditEvent[]) => void) => Stop
}

/** A connection to a relay that lasts longer than one call. */
export type Channel = 'maker_stream' | 'taker_stream' | 'operator_stream' | 'maker_socket'

/** The vitals of this process. */
export type Vitals = {
  connections: Readonly<Record<Channel, number>>
  /** Readers that were dropped because they were too slow (decision M2). */
  droppedSlow: number
  /** The 99th percentile of how late the event loop was lately, milliseconds. */
  eventLoopLagMs: number
  memoryBytes: number
  uptimeMs: number
}

/** The counters of this process. None may cost the caller more than a few hundred nanoseconds. */
export type Meter = {
  /** Counts a connection while it lives. */
  connected: (channel: Channel) => Stop
  dropped: (why: 'slow') => void
  /** Counts a maker key that came in a query (decision M6). */
  keyInQuery: () => void
  /** Counter of a route's answers; `route` is the pattern, never a path with an id in it. */
  answersOf: (route: { method: string; route: string }) => (answer: { status: number; durationMs: number }) => void
  vitals: () => Vitals
}

/** Figures that are read when they are asked for; null: not known. Times in milliseconds. */
export type Gauges = {
  up: Readonly<Record<'store' | 'bus' | 'chain', boolean>>
  headAgeMs: number | null
  makersConnected: number | null
  openRequests: number | null
  /** Null: there is no signer. */
  isSignerActive: boolean | null
  /** Bytes that each change of the embedded store writes again. */
  storeDocumentBytes: number | null
  /** Series that wait for a person. */
  reviewsPending: number | null
  /** Roles of the core for which someone is proposed. */
  rolesPending: number | null
  /** Makers that are suspended for what they did. */
  makersSuspended: number | null
  /** Blocks between the head and the last one whose ended orders are known; null also before the first look. */
  orderWatchLagBlocks: number | null
  /** Null also if the faucet mints or does not exist. */
  faucetBalance: Usd6 | null
}

/** The counters and gauges, as text for a collector. */
export type Exposition = (gauges: Gauges) => Promise<{ contentType: string; text: string }>

/** The ports from which operators' views are read. */
export type OperationsPorts = Runtime &
  Sources &
  Omit<LiveMarket, 'feed' | 'leases'> &
  Pick<Ports, 'store' | 'chain' | 'orderEvents' | 'authority' | 'resolutionSigner' | 'seriesIndex' | 'faucet'> & {
    /** The audit log of all nodes. */
    auditFeed: AuditFeed
    /** Entries that this process adds to the feed, with no delay. */
    ownAuditFeed: AuditFeed
    meter: Meter
    exposition: Exposition
  }

/** `headStaleMs`: age of the chain head from which the relay is not ready; 0: never (fault E5). */
export type OperationsSettings = { headStaleMs: number }
