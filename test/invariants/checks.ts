/** The invariants of docs/invariants.md that show on the wire, in words. */
export const INVARIANTS = {
  V1: 'one maker is asked at a time, one order is ever revealed',
  V2: 'an order is the quote that was taken, in whole numbers, and can still be filled',
  V3: 'each maker that quoted hears once how the request ended',
  V4: 'each stream hears once that a request ended, and nothing of it after',
  V5: 'a series is resolved once',
  V6: 'all streams show the same events in the same order, with rising ids and no gaps',
  V7: 'the best quote is shown, and wins',
  V8: 'no secret is stored or revealed',
  V9: 'makers are counted right',
  V10: 'a trade that was answered is never lost',
} as const

/** The number of an invariant. */
export type Invariant = keyof typeof INVARIANTS

/** One look at one invariant; `fault` says what was wrong, null that nothing was. */
export type Check = { invariant: Invariant; fault: string | null }

/** A check that holds or says why not. */
export const check = (invariant: Invariant, holds: boolean, fault: () => string): Check => ({
  invariant,
  fault: holds ? null : fault(),
})

/** How often an invariant was looked at, and how often it was broken. */
export type Score = { checks: number; faults: number }

/** Counts checks. */
export type Scores = {
  note: (checks: Iterable<Check>) => void
  /** By invariant, of those that were looked at; `examples` are the first faults. */
  report: () => { scores: Readonly<Partial<Record<Invariant, Score>>>; faults: number; examples: readonly string[] }
}

/** Faults that are told in full. */
const EXAMPLES = 10

/** Nothing looked at yet. */
export function createScores(): Scores {
  const scores: Partial<Record<Invariant, Score>> = {}
  const examples: string[] = []
  return {
    note: (checks) => {
      for (const { invariant, fault } of checks) {
        const score = scores[invariant] ?? { checks: 0, faults: 0 }
        scores[invariant] = score
        score.checks += 1
        if (fault === null) continue
        score.faults += 1
        if (examples.length < EXAMPLES) examples.push(`${invariant}: ${fault}`)
      }
    },
    report: () => ({
      scores,
      faults: Object.values(scores).reduce((sum, { faults }) => sum + faults, 0),
      examples,
    }),
  }
}
