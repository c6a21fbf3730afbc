import type { CommitOutcome } from '../../../src/relay/core/ports/live.ts'

type Lease = { owner: string; terms: string; outcome: CommitOutcome | null; expiresAt: number }

/** How long the end of a commit is remembered, milliseconds. */
const OUTCOME_MS = 5_000

export type Acquired =
  | { kind: 'begun' }
  | { kind: 'running'; owner: string; terms: string }
  | { kind: 'ended'; outcome: CommitOutcome }

export function createLeaseTable(now: () => number) {
  const leases = new Map<string, Lease>()

  const find = (requestId: string): Lease | undefined => {
    const lease = leases.get(requestId)
    if (lease === undefined || lease.expiresAt > now()) return lease
    leases.delete(requestId)
    return undefined
  }

  return {
    acquire: (
      requestId: string,
      claim: { owner: string; terms: string; leaseMs: number; waitingFor: string | null },
    ): Acquired => {
      const { owner, terms, leaseMs, waitingFor } = claim
      const lease = find(requestId)
      if (lease !== undefined && lease.outcome === null)
        return { kind: 'running', owner: lease.owner, terms: lease.terms }
      if (lease?.outcome != null && lease.owner === waitingFor) return { kind: 'ended', outcome: lease.outcome }
      leases.set(requestId, { owner, terms, outcome: null, expiresAt: now() + leaseMs })
      return { kind: 'begun' }
    },
    renew: (requestId: string, owner: string, leaseMs: number): boolean => {
      const lease = find(requestId)
      if (lease?.owner !== owner) return false
      lease.expiresAt = now() + leaseMs
      return true
    },
    isRunning: (requestId: string): boolean => find(requestId)?.outcome === null,
    conclude: (requestId: string, owner: string, outcome: CommitOutcome): boolean => {
      const lease = find(requestId)
      if (lease?.owner !== owner) return false
      lease.outcome = outcome
      lease.expiresAt = now() + OUTCOME_MS
      return true
    },
  }
}
