import type { HistoryQuery, Outcome } from '../../../relay/ports/store.ts'
import {
  columnEntries,
  columnSince,
  type Found,
  markOf,
  newColumn,
  noteInColumn,
  type OutcomeColumn,
} from './outcome-column.ts'
import type { JournalRow, RowOf } from './rows.ts'

/** An outcome of a maker's quote, and where its row lies. */
export type OutcomeEntry<Place> = { at: number; quoteId: string; status: Outcome['status']; place: Place }

/** A row that tells an outcome. */
export type OutcomeRow = RowOf<'executed'> | RowOf<'rejected'>

/** The outcomes of all makers: confirmed ones for ever, the newest rejected ones for a while. */
export type Outcomes<Place> = {
  note: (makerId: string, entry: OutcomeEntry<Place>) => void
  /** Their rows, oldest first; null when `after` is not one of the maker's. */
  list: (query: HistoryQuery) => Promise<readonly OutcomeRow[] | null>
  /** When a maker last confirmed, Unix milliseconds; null when it never did. */
  lastConfirmedAt: (makerId: string) => number | null
}

/** As many as the files of the family hold: beyond that there is nothing to find. */
const MAX_REJECTED = 500_000

/** So many rejections are forgotten at a time: they are looked for in the columns of all makers. */
const STEPS = 50

type OfMaker<Place> = { [Status in Outcome['status']]: OutcomeColumn<Place> }

/** An empty index; rejections are forgotten `keptMs` after they were noted, or when there are more than `maxRejected`. */
export function createOutcomes<Place>({
  now,
  keptMs,
  load,
  maxRejected = MAX_REJECTED,
}: {
  now: () => number
  keptMs: number
  load: (place: Place) => Promise<JournalRow | null>
  maxRejected?: number
}): Outcomes<Place> {
  const makers = new Map<string, OfMaker<Place>>()
  const stepSize = Math.ceil(maxRejected / STEPS)
  /** When the last of each so many rejections was noted, oldest first. */
  const steps: number[] = []
  let inStep = 0

  function noteRejection(at: number): void {
    inStep += 1
    if (inStep < stepSize) return
    inStep = 0
    const oldest = steps.length === STEPS ? steps.shift() : undefined
    steps.push(at)
    const from = Math.max(oldest ?? 0, now() - keptMs) + 1
    for (const ofMaker of makers.values()) ofMaker.rejected = columnSince(ofMaker.rejected, from)
  }

  /** The index of the entry of a quote; a mark that two quotes share is told apart by their rows. */
  async function indexOf(entries: readonly Found<Place>[], quoteId: string): Promise<number> {
    const mark = markOf(quoteId)
    for (const [index, entry] of entries.entries()) {
      if (entry.mark === mark && quoteIdOf(await loadOutcome(entry)) === quoteId) return index
    }
    return -1
  }

  const loadOutcome = ({ place }: Found<Place>) => load(place) as Promise<OutcomeRow | null>

  return {
    lastConfirmedAt: (makerId) => makers.get(makerId)?.confirmed.ats.at(-1) ?? null,
    note: (makerId, { status, at, quoteId, place }) => {
      const ofMaker = makers.get(makerId) ?? { confirmed: newColumn<Place>(), rejected: newColumn<Place>() }
      makers.set(makerId, ofMaker)
      noteInColumn(ofMaker[status], { at, mark: markOf(quoteId), place })
      if (status === 'rejected') noteRejection(at)
    },
    list: async ({ makerId, after, since, status, limit }) => {
      const ofMaker = makers.get(makerId)
      if (ofMaker === undefined) return after === null ? [] : null
      const confirmed = columnEntries(ofMaker.confirmed)
      const rejected = columnEntries(columnSince(ofMaker.rejected, now() - keptMs + 1))
      const entries = [...confirmed, ...rejected].sort((a, b) => a.at - b.at || a.mark - b.mark)
      const start = after === null ? 0 : (await indexOf(entries, after)) + 1
      if (after !== null && start === 0) return null
      const asked = status === null ? null : new Set(status === 'confirmed' ? confirmed : rejected)
      const page = entries
        .slice(start)
        .filter((entry) => (since === null || entry.at >= since) && (asked === null || asked.has(entry)))
        .slice(0, limit)
      return (await Promise.all(page.map(loadOutcome))).filter((row) => row !== null)
    },
  }
}

function quoteIdOf(row: OutcomeRow | null): string | null {
  if (row === null) return null
  return row.kind === 'executed' ? row.execution.acceptance.quoteId : row.rejection.quoteId
}
