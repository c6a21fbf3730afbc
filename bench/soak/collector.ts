import { type Checker, createChecker } from '../../test/invariants/checker.ts'
import type { Coverage, Invariant, Score } from '../../test/invariants/invariants.ts'
import { type CommitSeen, createMoments, type Moment, type ObservationOf } from '../../test/invariants/observation.ts'

/** Collects what makers and takers of a soak send and are sent; each request is checked once all news of it is there. */
export type Collector = Pick<Checker, 'observe'> & {
  /** Now, as observations have it. */
  moment: () => Moment
  /** A commit was answered by a firm quote: with what its maker signed last, without a word to it. */
  tookFirm: (commit: CommitSeen) => void
  /** What a maker or a taker met that should not have happened. */
  failed: (what: string, error: unknown) => void
  /** Checks the requests that ended before then, Unix milliseconds, and forgets them. */
  settle: (endedBefore: number) => void
  /** Checks what the records of makers counted, once that was observed. */
  judgeRecords: () => void
  report: () => Report
}

/** What a soak has found. `broken`: calls that failed and connections that were lost; `checked`: requests. */
export type Report = {
  scores: Readonly<Partial<Record<Invariant, Score>>>
  violations: number
  checked: number
  broken: number
  /** The first violations and failures, in full. */
  examples: readonly string[]
  unseen: Coverage['unseen']
}

/** Of a maker that is back the quote that was taken shows as the better one that did not win, which is V7. */
const WITHDRAWN = 'that a quote is withdrawn is in no message; where it should not have been, another one wins'

/**
 * What a soak sees: the wire of a relay without a chain, whose makers are connected throughout. One process reads hundreds of
 * connections, none in the order of another: that a best quote is right shows where it counts all quotes.
 */
export const COVERAGE: Coverage = {
  lagMs: 30_000,
  hasChain: false,
  unseen: {
    V5: 'without a chain no series is resolved',
    V11: 'its makers have no protections; with --kill they do',
    V12: 'no one reads the records of its makers, and none is suspended; with --kill they are',
    V16: WITHDRAWN,
  },
}

/** What a soak sees whose makers are killed and have protections: fewer connections, whose news are there soon. */
export const COVERAGE_OF_KILLS: Coverage = {
  lagMs: 2_000,
  hasChain: false,
  unseen: { V5: COVERAGE.unseen.V5 as string, V16: WITHDRAWN },
}

/** What broke that is told in full. */
const EXAMPLES = 10

/** Firm signatures of requests that may still be open. */
const FIRM_SIGNATURES = 10_000

/** A collector that has observed nothing; `now` in Unix milliseconds. */
export function createCollector(now: () => number, coverage: Coverage = COVERAGE): Collector {
  const checker = createChecker({ coverage, kept: EXAMPLES })
  const failures: string[] = []
  const { unseen } = coverage
  /** By quote: what was signed last, whether it was answered or not. */
  const firmSignatures = new Map<string, ObservationOf<'quote_sealed'>>()
  /** Some checks go on without what would break them: those say nothing. */
  const seen = () =>
    Object.fromEntries(Object.entries(checker.scores).filter(([name]) => unseen[name as Invariant] === undefined))
  let broken = 0
  let checked = 0
  return {
    observe: (observation) => {
      if (observation.kind === 'quote_sealed') {
        firmSignatures.set(observation.quoteId, observation)
        const [oldest] = firmSignatures.keys()
        if (firmSignatures.size > FIRM_SIGNATURES && oldest !== undefined) firmSignatures.delete(oldest)
      }
      checker.observe(observation)
    },
    tookFirm: ({ quoteId, answered }) => {
      const firm = firmSignatures.get(quoteId ?? '')
      // One that no one signed beforehand is found when the request is checked.
      if (firm === undefined || answered === null) return
      const { requestId, makerId, order, signature } = firm
      const names = { requestId, makerId, quoteId: firm.quoteId, order, signature }
      checker.observe({ kind: 'order_taken', ...names, asked: answered, counted: answered })
    },
    moment: createMoments(now),
    failed: (what, error) => {
      broken += 1
      if (failures.length < EXAMPLES)
        failures.push(`${what}: ${error instanceof Error ? error.message : String(error)}`)
    },
    settle: (endedBefore) => {
      checked += checker.settle(endedBefore)
    },
    judgeRecords: checker.judgeRecords,
    report: () => ({
      scores: seen(),
      violations: Object.values(seen()).reduce((sum, { violations }) => sum + violations, 0),
      checked,
      broken,
      unseen,
      examples: [...checker.violations.map(({ invariant, sentence }) => `${invariant}: ${sentence}`), ...failures],
    }),
  }
}
