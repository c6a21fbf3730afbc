import type { ErrorCode, RfqError } from '../../domain/errors.ts'
import type { Stop } from './clock.ts'

/**
 * Commits that run, over all nodes: one of a request at a time. What is known of them may be lost at any moment, at the price
 * of a commit that runs twice: who trades is decided by the store alone (invariant V1).
 */
export type CommitLeases = {
  /**
   * Begins a commit unless one runs. `terms` tell those that may be joined; `waitingFor` is the lease whose end
   * the caller has waited for: it is told how that commit ended.
   */
  begin: (requestId: string, terms: string, waitingFor: string | null) => Promise<CommitLease>
  /** Whether some node runs a commit of a request. */
  isRunning: (requestId: string) => Promise<boolean>
  /** Hears that a commit has ended; at most once, and never when its node is gone. */
  onEnd: (leaseId: string, listener: () => void) => Stop
}

/** A commit that the caller has begun, or one that someone else runs or has ended. */
export type CommitLease =
  | {
      kind: 'begun'
      /** Whether no other node has taken the commit over, for instance because this one stood still. */
      isOwner: () => Promise<boolean>
      end: (outcome: CommitOutcome) => Promise<void>
    }
  | { kind: 'running'; leaseId: string; terms: string }
  | { kind: 'ended'; outcome: CommitOutcome }

/** How a commit ended; the order of one that succeeded is in the store. `data` is as JSON has it. */
export type CommitOutcome =
  | { kind: 'committed' }
  | { kind: 'refused'; code: ErrorCode; detail: string; data: RfqError['data'] }
