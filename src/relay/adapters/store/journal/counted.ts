import { type CountedAcceptance, countOrder, MAX_WINDOW_MS } from '@rfqctl/protocol/domain/maker-protections'
import { decodeAcceptance } from '../codec.ts'
import type { AcceptedRow } from '../tables.ts'

/** The acceptances that count in makers' windows, including changes that are still being written. */
export function createCountedAcceptances(now: () => number) {
  const makers = new Map<string, Map<string, CountedAcceptance>>()
  const versions = new Map<string, number>()

  return {
    /** Counts a row that has `countedAt`. Idempotent. */
    add: (row: AcceptedRow): void => {
      if (row.countedAt === undefined || row.countedAt <= now() - MAX_WINDOW_MS) return
      const ofMaker = makers.get(row.makerId) ?? new Map<string, CountedAcceptance>()
      if (!ofMaker.has(row.acceptanceId)) versions.set(row.makerId, (versions.get(row.makerId) ?? 0) + 1)
      makers.set(row.makerId, ofMaker.set(row.acceptanceId, countOrder(decodeAcceptance(row), row.countedAt)))
    },
    /** Rises with every acceptance of the maker that is counted. */
    version: (makerId: string): number => versions.get(makerId) ?? 0,
    /** Uncounts an acceptance that its maker was not asked for after all. */
    release: ({ makerId, acceptanceId }: Pick<AcceptedRow, 'makerId' | 'acceptanceId'>): void =>
      void makers.get(makerId)?.delete(acceptanceId),
    /** The maker's since a moment, Unix milliseconds, and at most a day back. */
    of: (makerId: string, since: number): readonly CountedAcceptance[] => {
      const ofMaker = makers.get(makerId)
      if (ofMaker === undefined) return []
      // In the order of time, oldest first.
      for (const [acceptanceId, { at }] of ofMaker) {
        if (at > now() - MAX_WINDOW_MS) break
        ofMaker.delete(acceptanceId)
      }
      return [...ofMaker.values()].filter(({ at }) => at >= since)
    },
    /** Drops those of a maker; the returned function restores them. */
    clear: (makerId: string) => {
      const former = makers.get(makerId)
      makers.delete(makerId)
      return () => {
        if (former !== undefined) makers.set(makerId, new Map([...former, ...(makers.get(makerId) ?? [])]))
      }
    },
  }
}
