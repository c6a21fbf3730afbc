import {
  afterMiss,
  type DemotedMaker,
  type DemotionRule,
  isDemotedBy,
  type MissStreak,
} from '@rfqctl/protocol/domain/reliability'

/** The misses of makers since their last confirmations, over all requests. */
export type MissStreaks = {
  /** One more miss of a maker; says whether that demotes it. */
  recordMiss: (makerId: string) => boolean
  /** Forgets the misses of a maker. */
  clear: (makerId: string) => void
  isDemoted: (makerId: string) => boolean
  /** Makers that are demoted now. */
  demoted: () => DemotedMaker[]
}

/** Beyond this many makers the one that missed longest ago is forgotten: makerIds of strangers have no end. */
const MAKERS_KEPT = 10_000

/** Streaks in memory, judged by `now` in Unix milliseconds. */
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
