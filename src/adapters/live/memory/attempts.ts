import type { AttemptOutcome, Attempts } from '../../../relay/ports/attempts.ts'
import type { Clock } from '../../../relay/ports/clock.ts'
import { createAged } from '../../aged.ts'

/** How long it is told how an attempt ended, milliseconds, and of how many. */
const OUTCOME_MS = 5_000
const OUTCOMES_KEPT = 10_000

type Running = { attemptId: string; terms: string; listeners: Set<() => void> }

/** The commits of a single process, of which none runs for longer than it does. */
export function createLocalAttempts({ clock }: { clock: Pick<Clock, 'now'> }): Attempts {
  const byRequest = new Map<string, Running>()
  const byId = new Map<string, Running>()
  const outcomes = createAged<AttemptOutcome>({ now: clock.now, keptMs: OUTCOME_MS, limit: OUTCOMES_KEPT })
  let count = 0

  return {
    begin: async (requestId, terms, following) => {
      const running = byRequest.get(requestId)
      if (running !== undefined) return { kind: 'running', attemptId: running.attemptId, terms: running.terms }
      const outcome = following === null ? null : outcomes.get(following)
      if (outcome !== null) return { kind: 'ended', outcome }
      count += 1
      const own: Running = { attemptId: String(count), terms, listeners: new Set() }
      byRequest.set(requestId, own)
      byId.set(own.attemptId, own)
      return {
        kind: 'begun',
        isHeld: async () => byRequest.get(requestId) === own,
        end: async (ending) => {
          if (!byId.delete(own.attemptId)) return
          byRequest.delete(requestId)
          outcomes.put(own.attemptId, clock.now(), ending)
          for (const listener of own.listeners) listener()
        },
      }
    },
    isRunning: async (requestId) => byRequest.has(requestId),
    onEnd: (attemptId, listener) => {
      const listeners = byId.get(attemptId)?.listeners
      listeners?.add(listener)
      return () => void listeners?.delete(listener)
    },
  }
}
