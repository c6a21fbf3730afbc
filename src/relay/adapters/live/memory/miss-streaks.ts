import {
  afterMiss,
  type DemotedMaker,
  type DemotionRule,
  isDemotedBy,
  type MissStreak,
} from '@rfqctl/protocol/domain/reliability'

/** The misses of makers since their last confirmations, over all requests. */
export type MissStreaks = {
  /** Returns whether this miss demotes the maker. */
  recordMiss: (makerId: string) => boolean
  clear: (makerId: string) => void
  isDemoted: (makerId: string) => boolean
  demoted: () => DemotedMaker[]
}

/** Beyond this many makers the one that missed longest ago is dropped: makerIds of strangers have no end. */
const MAKERS_KEPT = 10_000

/** `now` is in Unix milliseconds. */
export function createMissStreaks({ now, rule }: { now: () => number; rule: DemotionRule }): MissStreaks {
  /** The maker that missed longest ago comes first. */
  const streaks = new Map<string, MissStreak>()

  return {
    recordMiss: (makerId) => {
      const streak = afterMiss(streaks.get(makerId), now(), rule)
      streaks.delete(makerId)
      streaks.set(makerId, streak)
      for (const [oldest, { until }] of streaks) {
        if (until > now() && streaks.size <= MAKERS_KEPT) break
        streaks.delete(oldest)
      }
      return streak.misses === rule.misses
    },
    clear: (makerId) => void streaks.delete(makerId),
    isDemoted: (makerId) => isDemotedBy(streaks.get(makerId), now(), rule),
    demoted: () =>
      [...streaks].flatMap(([makerId, streak]) =>
        isDemotedBy(streak, now(), rule) ? { makerId, until: streak.until } : [],
      ),
  }
}
