import type { AuditEntry } from '../domain/audit.ts'
import { RfqError } from '../domain/errors.ts'
import { type HealthReport, readHealth } from './health.ts'
import { createMakerLedger, type MakerStanding } from './maker-ledger.ts'
import { createOperatorFeed, type OperatorFeed } from './operator-feed.ts'
import type { Meter, OperationsPorts, OperationsSettings } from './ports/operations.ts'

export type { HealthReport } from './health.ts'
export type { OperatorNews, OperatorOpening, Standing } from './operator-feed.ts'

/** The operator's door of the house, beside `Relay`: it reads, and changes nothing (ruling O). */
export type Operations = {
  feed: OperatorFeed
  /** All makers that are connected, have done something, or are demoted. */
  makers: () => Promise<readonly MakerStanding[]>
  /** Whether the relay can serve, and how it is doing. */
  health: () => Promise<HealthReport>
  /** All metrics as text for a collector. */
  metrics: () => Promise<{ contentType: string; text: string }>
  /** The life of a request. Refuses with `request_not_found`. */
  trailOf: (requestId: string) => Promise<readonly AuditEntry[]>
  /** What the server counts by. */
  meter: Meter
}

/** Operations over their ports. */
export function createOperations(ports: OperationsPorts, settings: OperationsSettings): Operations {
  const { store, book, meter, exposition } = ports
  const ledger = createMakerLedger(ports)
  const health = () => readHealth(ports, settings)
  return {
    feed: createOperatorFeed(ports, settings, ledger),
    makers: ledger.standings,
    health,
    metrics: async () => {
      const [{ parts, head, makersConnected }, open] = await Promise.all([
        health(),
        book.openRequests().catch(() => null),
      ])
      const isUp = (part: keyof typeof parts) => parts[part].state !== 'down'
      return exposition({
        up: { store: isUp('store'), bus: isUp('bus'), chain: isUp('chain') },
        headAgeMs: head?.ageMs ?? null,
        makersConnected,
        openRequests: open?.length ?? null,
        storeDocumentBytes: store.documentBytes(),
      })
    },
    trailOf: async (requestId) => {
      const trail = await store.audit.find(requestId)
      if (trail.length === 0) throw new RfqError('request_not_found')
      return trail
    },
    meter,
  }
}
