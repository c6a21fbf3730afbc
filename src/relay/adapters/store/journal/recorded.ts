import {
  OUTCOMES_KEPT_MS,
  outcomesWithin,
  type RecordedOutcome,
  withOutcome,
} from '@rfqctl/protocol/domain/maker-record'

/** Beyond this many makers the one with the oldest last outcome is dropped. */
const MAKERS_KEPT = 10_000

/** The outcomes of makers within a day, including those still being written; in the order of the newest of each. */
export function createRecordedOutcomes(now: () => number) {
  const makers = new Map<string, readonly RecordedOutcome[]>()
  const isOver = ({ at }: RecordedOutcome) => at <= now() - OUTCOMES_KEPT_MS

  function letGo(): void {
    for (const [makerId, outcomes] of makers) {
      if (makers.size <= MAKERS_KEPT && !outcomes.every(isOver)) return
      makers.delete(makerId)
    }
  }

  return {
    /** False when it is counted already, is of the incident of another within `incidentMs`, or is too old. */
    add: (makerId: string, outcome: RecordedOutcome, incidentMs?: number): boolean => {
      if (isOver(outcome)) return false
      const outcomes = withOutcome(makers.get(makerId) ?? [], outcome, incidentMs)
      if (outcomes === null) return false
      makers.delete(makerId)
      makers.set(makerId, outcomes)
      letGo()
      return true
    },
    /** Oldest first. */
    of: (makerId: string) => outcomesWithin(makers.get(makerId) ?? [], { now: now(), windowMs: OUTCOMES_KEPT_MS }),
    makerIds: () => [...makers.keys()],
  }
}
