import type { SeriesId } from '@rfqctl/protocol/domain/series'

/** Packages per read; parts are read one after the other. */
const PART_SIZE = 512

/**
 * The collateral behind packages, as last read or reported: only a holder has locked money for one. `read` returns
 * micro-dollars; the bounds are on packages with and without a holder.
 */
export function createPackageStakes(parts: {
  read: (seriesIds: readonly SeriesId[]) => Promise<readonly bigint[]>
  maxHeld: number
  maxUnheld: number
}) {
  const { read, maxHeld, maxUnheld } = parts
  const stakes = new Map<SeriesId, bigint>()
  const stakeOf = (seriesId: SeriesId): bigint => stakes.get(seriesId) ?? 0n
  const isHeld = (seriesId: SeriesId): boolean => stakeOf(seriesId) > 0n

  async function learnAgain(seriesIds: readonly SeriesId[]): Promise<void> {
    for (let at = 0; at < seriesIds.length; at += PART_SIZE) {
      const part = seriesIds.slice(at, at + PART_SIZE)
      const found = await read(part)
      for (const [index, seriesId] of part.entries()) stakes.set(seriesId, found[index] ?? 0n)
    }
  }

  function surplus(packages: readonly SeriesId[]): readonly SeriesId[] {
    const unheld = packages.filter((seriesId) => !isHeld(seriesId))
    return unheld.slice(0, Math.max(0, unheld.length - maxUnheld))
  }

  return {
    isHeld,
    /** Adds newly locked collateral, micro-dollars. */
    hear: (seriesId: SeriesId, collateral: bigint): void => {
      if (!isHeld(seriesId)) stakes.set(seriesId, collateral)
    },
    /** Reads the unknown ones. Fails with `chain_unavailable`. */
    learn: (seriesIds: readonly SeriesId[]): Promise<void> =>
      learnAgain(seriesIds.filter((seriesId) => !stakes.has(seriesId))),
    /** Reads all of them, including known ones. Fails with `chain_unavailable`. */
    learnAgain,
    keepOnly: (seriesIds: ReadonlySet<SeriesId>): void => {
      for (const seriesId of stakes.keys()) if (!seriesIds.has(seriesId)) stakes.delete(seriesId)
    },
    /** The packages without a known holder that exceed the bounds, oldest first; takes packages oldest first. */
    surplus,
    /** The packages to drop: the oldest without a holder, and the least collateral of the others. */
    dropped: (packages: readonly SeriesId[]): ReadonlySet<SeriesId> => {
      const tooMany = surplus(packages)
      // A package that could not be read stays, unless the unread ones alone exceed the bound.
      const unheld = tooMany.filter((seriesId, i) => stakes.has(seriesId) || i < tooMany.length - maxHeld)
      const held = packages.filter(isHeld)
      if (held.length <= maxHeld) return new Set(unheld)
      const leastFirst = held.toSorted((a, b) => (stakeOf(a) < stakeOf(b) ? -1 : 1))
      return new Set([...unheld, ...leastFirst.slice(0, held.length - maxHeld)])
    },
  }
}
