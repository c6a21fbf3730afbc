import type { HistoryQuery, Outcome } from '../../../relay/ports/store.ts'
import type { Load } from './rows.ts'

/** Where an outcome of a maker is found. */
export type OutcomeEntry = { at: number; quoteId: string } & (
  | { status: 'confirmed'; load: Load<'executed'> }
  | { status: 'rejected'; load: Load<'rejected'> }
)

/** The outcomes of all makers: confirmed ones for ever, rejected ones for a while. */
export type Outcomes = {
  note: (makerId: string, entry: OutcomeEntry) => void
  /** Oldest first; null when `after` is not one of the maker's. */
  list: (query: HistoryQuery) => readonly OutcomeEntry[] | null
}

type OfMaker = { [Status in Outcome['status']]: OutcomeEntry[] }

/** An empty index; rejections are forgotten `keptMs` after they were noted. */
export function createOutcomes({ now, keptMs }: { now: () => number; keptMs: number }): Outcomes {
  const makers = new Map<string, OfMaker>()
  const isOver = ({ at }: OutcomeEntry) => at + keptMs <= now()

  return {
    note: (makerId, entry) => {
      const ofMaker = makers.get(makerId) ?? { confirmed: [], rejected: [] }
      makers.set(makerId, ofMaker)
      ofMaker[entry.status].push(entry)
      while (ofMaker.rejected[0] !== undefined && isOver(ofMaker.rejected[0])) ofMaker.rejected.shift()
    },
    list: ({ makerId, after, since, status, limit }) => {
      const { confirmed, rejected } = makers.get(makerId) ?? { confirmed: [], rejected: [] }
      const entries = [...confirmed, ...rejected.filter((entry) => !isOver(entry))].sort(byTime)
      const start = after === null ? 0 : entries.findIndex(({ quoteId }) => quoteId === after) + 1
      if (after !== null && start === 0) return null
      return entries
        .slice(start)
        .filter((entry) => (since === null || entry.at >= since) && (status === null || entry.status === status))
        .slice(0, limit)
    },
  }
}

const byTime = (a: OutcomeEntry, b: OutcomeEntry): number => a.at - b.at || (a.quoteId < b.quoteId ? -1 : 1)
