import type { SeriesId } from '@rfqctl/protocol/domain/series'

/** The collateral behind packages, as it was last read or heard of. Anyone registers one; who holds one has locked money for it. */
export type PackageStakes = {
  isHeld: (seriesId: SeriesId) => boolean
  /** Someone wrote options of a package and locked so many micro-dollars for them. */
  hear: (seriesId: SeriesId, collateral: bigint) => void
  /** Reads those that are not known. Fails with `chain_unavailable`. */
  learn: (seriesIds: readonly SeriesId[]) => Promise<void>
  /** Reads those, also what is known of them. Fails with `chain_unavailable`. */
  learnAgain: (seriesIds: readonly SeriesId[]) => Promise<void>
  /** Forgets all others. */
  keepOnly: (seriesIds: ReadonlySet<SeriesId>) => void
  /** Packages, oldest first, that are too many for those that no one is known to hold. */
  surplus: (packages: readonly SeriesId[]) => readonly SeriesId[]
  /** What goes of packages, oldest first: of those without a holder the oldest, of those with one the least collateral. */
  dropped: (packages: readonly SeriesId[]) => ReadonlySet<SeriesId>
}

/** Packages that are read at a time, one part after the other. */
const PART_SIZE = 512

/** Nothing is known yet. `read` gives micro-dollars; of packages with and without a holder so many are worth their memory. */
export function createPackageStakes({
  read,
  maxHeld,
  maxUnheld,
}: {
  read: (seriesIds: readonly SeriesId[]) => Promise<readonly bigint[]>
  maxHeld: number
  maxUnheld: number
}): PackageStakes {
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
    hear: (seriesId, collateral) => {
      if (!isHeld(seriesId)) stakes.set(seriesId, collateral)
    },
    learn: (seriesIds) => learnAgain(seriesIds.filter((seriesId) => !stakes.has(seriesId))),
    learnAgain,
    keepOnly: (seriesIds) => {
      for (const seriesId of stakes.keys()) if (!seriesIds.has(seriesId)) stakes.delete(seriesId)
    },
    surplus,
    dropped: (packages) => {
      const tooMany = surplus(packages)
      // One that could not be read stays, unless there are more of them than of any others.
      const unheld = tooMany.filter((seriesId, i) => stakes.has(seriesId) || i < tooMany.length - maxHeld)
      const held = packages.filter(isHeld)
      if (held.length <= maxHeld) return new Set(unheld)
      const leastFirst = held.toSorted((a, b) => (stakeOf(a) < stakeOf(b) ? -1 : 1))
      return new Set([...unheld, ...leastFirst.slice(0, held.length - maxHeld)])
    },
  }
}
