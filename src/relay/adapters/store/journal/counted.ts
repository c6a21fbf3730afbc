import { type CountedAcceptance, countOrder, MAX_WINDOW_MS } from '@rfqctl/protocol/domain/maker-protections'
import { decodeAcceptance } from '../codec.ts'
import type { AcceptedRow } from '../tables.ts'

/** What counts in the windows of makers' protections, with changes that are still being written. */
export type CountedAcceptances = {
  /** Counts a row that says when it began to count; again changes nothing. */
  add: (row: AcceptedRow) => void
  /** One that its maker was not asked for after all. */
  release: (row: Pick<AcceptedRow, 'makerId' | 'acceptanceId'>) => void
  /** Those of a maker since a moment, Unix milliseconds, and at most a day back. */
  of: (makerId: string, since: number) => readonly CountedAcceptance[]
  /** Forgets those of a maker; what is returned puts them back. */
  clear: (makerId: string) => () => void
}

/** Nothing counts yet. Only acceptances of makers with windows are ever held. */
export function createCountedAcceptances(now: () => number): CountedAcceptances {
  const makers = new Map<string, Map<string, CountedAcceptance>>()

  return {
    add: (row) => {
      if (row.countedAt === undefined || row.countedAt <= now() - MAX_WINDOW_MS) return
      const ofMaker = makers.get(row.makerId) ?? new Map<string, CountedAcceptance>()
      makers.set(row.makerId, ofMaker.set(row.acceptanceId, countOrder(decodeAcceptance(row), row.countedAt)))
    },
    release: ({ makerId, acceptanceId }) => void makers.get(makerId)?.delete(acceptanceId),
    of: (makerId, since) => {
      const ofMaker = makers.get(makerId)
      if (ofMaker === undefined) return []
      // They are in the order of time, so that the oldest come first.
      for (const [acceptanceId, { at }] of ofMaker) {
        if (at > now() - MAX_WINDOW_MS) break
        ofMaker.delete(acceptanceId)
      }
      return [...ofMaker.values()].filter(({ at }) => at >= since)
    },
    clear: (makerId) => {
      const former = makers.get(makerId)
      makers.delete(makerId)
      return () => {
        if (former !== undefined) makers.set(makerId, new Map([...former, ...(makers.get(makerId) ?? [])]))
      }
    },
  }
}
