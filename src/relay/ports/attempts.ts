import type { ErrorCode, RfqError } from '../../domain/errors.ts'
import type { Stop } from './clock.ts'

/**
 * Commits that run, over all nodes: one of a request at a time. What is known of them may be lost at any moment, at the price
 * of a commit that runs twice: who trades is decided by the store alone (invariant V1).
 */
export type Attempts = {
  /**
   * Begins a commit unless one runs. `terms` tell those that may be joined; `following` is the attempt that the caller
   * waits for, whose end it is told.
   */
  begin: (requestId: string, terms: string, following: string | null) => Promise<Attempt>
  /** Whether some node runs a commit of a request. */
  isRunning: (requestId: string) => Promise<boolean>
  /** Hears that a commit has ended; at most once, and never when its node is gone. */
  onEnd: (attemptId: string, listener: () => void) => Stop
}

/** A commit that the caller has begun, or one that someone else runs or has ended. */
export type Attempt =
  | {
      kind: 'begun'
      /** Whether no other node has taken the commit over, for instance because this one stood still. */
      isHeld: () => Promise<boolean>
      end: (outcome: AttemptOutcome) => Promise<void>
    }
  | { kind: 'running'; attemptId: string; terms: string }
  | { kind: 'ended'; outcome: AttemptOutcome }

/** How a commit ended; the order of one that succeeded is in the store. `data` is as JSON has it. */
export type AttemptOutcome =
  | { kind: 'committed' }
  | { kind: 'refused'; code: ErrorCode; detail: string; data: RfqError['data'] }
