import { RfqError } from '@rfqctl/protocol/domain/errors'
import { makerStanding } from '@rfqctl/protocol/domain/operations'
import { createHealth } from './health.ts'
import { createMakerLedger } from './maker-ledger.ts'
import { createOperatorFeed } from './operator-feed.ts'
import type { OperationsPorts, OperationsSettings } from './ports/operations.ts'
import { listReviews } from './reviews.ts'
import type { ReadSurface } from './surfaces.ts'
import { createLastRead, createThrottledRead } from './throttled-read.ts'

export type { HealthReport } from './health.ts'
export type { OperatorNews, OperatorOpening, OperatorState } from './operator-feed.ts'

export type Operations = ReturnType<typeof createOperations>

/** Milliseconds between counts of open requests and reviews. */
const COUNT_EVERY_MS = 1_000

/** Milliseconds between reads of the faucet's balance: each is a call to the chain, and no one waits for it. */
const BALANCE_EVERY_MS = 60_000

const lagOf = (head: number | null, noted: number | null): number | null =>
  head === null || noted === null ? null : Math.max(0, head - noted)

/** The operator's API, beside `Relay`, whose surfaces it shows: read-only. */
export function createOperations(
  ports: OperationsPorts,
  { readSurface }: { readSurface: ReadSurface },
  settings: OperationsSettings,
) {
  const { store, book, meter, exposition } = ports
  const ledger = createMakerLedger(ports)
  const health = createHealth(ports, settings)
  // Counting lists thousands of requests.
  const counterOf = (list: () => Promise<readonly unknown[]>) =>
    createThrottledRead(ports.clock, COUNT_EVERY_MS, async () => (await list()).length)
  const countOpen = counterOf(book.openRequests)
  const countReviews = counterOf(() => listReviews(ports))
  const countSuspended = counterOf(store.makerRecords.suspended)
  const { faucet, orderEvents, authority } = ports
  const faucetBalance = createLastRead(ports.clock, BALANCE_EVERY_MS, async () => (await faucet?.balance()) ?? null)
  return {
    feed: createOperatorFeed(ports, health, ledger, readSurface),
    /** Makers that are connected, active, demoted or suspended. */
    makers: async () => (await ledger.makers()).map(makerStanding),
    health,
    metrics: async () => {
      const [{ parts, head, makersConnected, isSignerActive }, openRequests, reviewsPending, makersSuspended] =
        await Promise.all([
          health(),
          countOpen().catch(() => null),
          countReviews().catch(() => null),
          countSuspended().catch(() => null),
        ])
      const isUp = (part: keyof typeof parts) => parts[part].state !== 'down'
      return exposition({
        up: { store: isUp('store'), bus: isUp('bus'), chain: isUp('chain') },
        headAgeMs: head?.ageMs ?? null,
        makersConnected,
        openRequests,
        isSignerActive,
        storeDocumentBytes: store.documentBytes(),
        reviewsPending,
        rolesPending: authority?.last()?.roles.filter(({ proposed }) => proposed !== null).length ?? null,
        makersSuspended,
        faucetBalance: faucetBalance(),
        orderWatchLagBlocks: lagOf(head?.block ?? null, orderEvents?.advancedTo() ?? null),
      })
    },
    /** Refuses with `request_not_found`. */
    auditLogOf: async (requestId: string) => {
      const auditLog = await store.audit.find(requestId)
      if (auditLog.length === 0) throw new RfqError('request_not_found')
      return auditLog
    },
    meter,
  }
}
