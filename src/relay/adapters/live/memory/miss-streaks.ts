import {
  afterMiss,
  type DemotedMaker,
  type DemotionRule,
  isDemotedBy,
  type MissStreak,
} from '@rfqctl/protocol/domain/reliability'

/** Beyond this many makers the one that missed longest ago is dropped: makerIds of strangers have no end. */
const MAKERS_KEPT = 10_000

/** The misses of makers since their last confirmations, over all requests; `now` in Unix milliseconds. */
export function createMissStreaks(parts: {
  now: () => number
  rule: DemotionRule
  /** Its time is over, or others missed later: the maker is not demoted any more. */
  onForgotten: (makerId: string) => void
}) {
  const { now, rule, onForgotten } = parts
  /** The maker that missed longest ago comes first. */
  const streaks = new Map<string, MissStreak>()

  return {
    /** Returns whether this miss demotes the maker. */
    recordMiss: (makerId: string): boolean => {
      const streak = afterMiss(streaks.get(makerId), now(), rule)
      streaks.delete(makerId)
      streaks.set(makerId, streak)
      for (const [oldest, { until }] of streaks) {
        if (until > now() && streaks.size <= MAKERS_KEPT) break
        streaks.delete(oldest)
        onForgotten(oldest)
      }
      return streak.misses === rule.misses
    },
    /** Returns whether there was anything to forget. */
    clear: (makerId: string): boolean => streaks.delete(makerId),
    isDemoted: (makerId: string): boolean => isDemotedBy(streaks.get(makerId), now(), rule),
    demoted: (): DemotedMaker[] =>
      [...streaks].flatMap(([makerId, streak]) =>
        isDemotedBy(streak, now(), rule) ? { makerId, until: streak.until } : [],
      ),
  }
}
