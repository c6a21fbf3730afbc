import type { Clock, Log } from '../../../src/relay/core/ports/runtime.ts'
import type { Link } from '../network/link.ts'
import type { Caller, MarketServer } from './server.ts'

/** What the parts of a node's market share. */
export type MarketParts = {
  /** Id of the node. */
  node: string
  clock: Clock
  log: Log
  link: Link
  /** Ids of leases. */
  freshId: () => string
  /** Runs a function of the server; one that finds no epoch runs again when there is one. */
  run: <Answer>(what: string, work: (server: MarketServer, caller: Caller) => Answer) => Promise<Awaited<Answer>>
  /** Reads keys of the server, which needs no epoch. */
  read: <Answer>(what: string, work: (reads: MarketServer['reads'], now: number) => Answer) => Promise<Awaited<Answer>>
  /** Listens to a channel of the server. */
  listen: (channel: string, onMessage: (message: unknown) => void) => () => void
}
