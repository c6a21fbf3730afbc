/** The invariants of docs/internals/invariants.md, in words. */
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
  V11: 'no maker is asked beyond its own protections',
  V12: 'a record counts what its maker did, and no maker is asked while it is suspended',
  V13: 'what a maker signed beforehand is what comes back, while its quote stands',
  V14: 'a signed order ends once, and is told to end so everywhere',
  V15: 'a nonce is given to one request, whatever was restored',
  V16: 'a quote that was answered stands until its maker, its time or its end takes it',
  V17: 'a request answers as if its calls came one at a time',
} as const

/** The number of an invariant. */
export type Invariant = keyof typeof INVARIANTS

/** An invariant that a history shows to be broken; `requestId` is null where it is about no single request. */
export type Violation = { invariant: Invariant; requestId: string | null; sentence: string }

/** What a collector can see. */
export type Coverage = {
  /**
   * How long the relay's news may take until they are observed, in milliseconds: what was on its way is not held against it.
   * 0: moments are those of the relay itself, and nothing is doubtful.
   */
  lagMs: number
  /**
   * Misses are observed, and how much longer than its order a hold may last whose node is killed before it lets go, in milliseconds: until
   * then its miss does not count. Absent: misses are not observed, and each deadline without a signature is taken for one.
   */
  takeoverMs?: number
  /** Whether moments have the order of their effects, also where clocks differ. Absent: they have that in which they are observed. */
  isOrdered?: boolean
  /**
   * How far the clocks of two nodes may be apart at any time, in milliseconds: so long the earlier quote need not rank first. Absent: they
   * are one, but for what `clocks_apart` says.
   */
  clockErrorMs?: number
  /** Whether there is a chain, without which no wallet falls short and no order is cancelled. Absent: there is. */
  hasChain?: boolean
  /** Invariants of which nothing is seen, each with the reason; each of the others is checked. */
  unseen: Readonly<Partial<Record<Invariant, string>>>
}

/** Looks at one invariant of one request, or of none; `sentence` says what is wrong where it does not hold. */
export type Assert = (invariant: Invariant, requestId: string | null, holds: boolean, sentence: () => string) => void

/** How often an invariant was looked at, and how often it was broken. */
export type Score = { checks: number; violations: number }

/** Every invariant that was looked at, and the first violations. */
export type Scores = {
  assert: Assert
  scores: Readonly<Partial<Record<Invariant, Score>>>
  violations: readonly Violation[]
}

/** Nothing looked at yet; keeps so many violations in full. */
export function createScores(kept: number): Scores {
  const scores: Partial<Record<Invariant, Score>> = {}
  const violations: Violation[] = []
  return {
    scores,
    violations,
    assert: (invariant, requestId, holds, sentence) => {
      const score = scores[invariant] ?? { checks: 0, violations: 0 }
      scores[invariant] = score
      score.checks += 1
      if (holds) return
      score.violations += 1
      if (violations.length < kept) violations.push({ invariant, requestId, sentence: sentence() })
    },
  }
}
