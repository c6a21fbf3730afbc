import type { CommitLeases, CommitOutcome } from '../../../relay/ports/live.ts'
import type { Clock } from '../../../relay/ports/runtime.ts'
import { createTtlMap } from '../../ttl-map.ts'

/** How long it is told how a commit ended, milliseconds, and of how many. */
const OUTCOME_MS = 5_000
const OUTCOMES_KEPT = 10_000

type Running = { leaseId: string; terms: string; listeners: Set<() => void> }

/** The commits of a single process, of which none runs for longer than it does. */
export function createLocalCommitLeases({ clock }: { clock: Pick<Clock, 'now'> }): CommitLeases {
  const byRequest = new Map<string, Running>()
  const byId = new Map<string, Running>()
  const outcomes = createTtlMap<CommitOutcome>({ now: clock.now, keptMs: OUTCOME_MS, limit: OUTCOMES_KEPT })
  let count = 0

  return {
    begin: async (requestId, terms, waitingFor) => {
      const running = byRequest.get(requestId)
      if (running !== undefined) return { kind: 'running', leaseId: running.leaseId, terms: running.terms }
      const outcome = waitingFor === null ? null : outcomes.get(waitingFor)
      if (outcome !== null) return { kind: 'ended', outcome }
      count += 1
      const own: Running = { leaseId: String(count), terms, listeners: new Set() }
      byRequest.set(requestId, own)
      byId.set(own.leaseId, own)
      return {
        kind: 'begun',
        isOwner: async () => byRequest.get(requestId) === own,
        end: async (ending) => {
          if (!byId.delete(own.leaseId)) return
          byRequest.delete(requestId)
          outcomes.put(own.leaseId, clock.now(), ending)
          for (const listener of own.listeners) listener()
        },
      }
    },
    isRunning: async (requestId) => byRequest.has(requestId),
    onEnd: (leaseId, listener) => {
      const listeners = byId.get(leaseId)?.listeners
      listeners?.add(listener)
      return () => void listeners?.delete(listener)
    },
  }
}
