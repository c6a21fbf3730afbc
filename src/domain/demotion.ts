/**
 * When a maker is demoted, which ranks its quotes behind those of all others: after so many missed confirmations without
 * one in time between them, each within `windowMs` milliseconds of the one before. A confirmation ends it, and so does the
 * window after the last miss.
 */
export type DemotionRule = { misses: number; windowMs: number }

/** The misses of a maker since its last confirmation, over all requests; they are forgotten at `until`, Unix milliseconds. */
export type MissStreak = { misses: number; until: number }

/** A maker that is demoted, and until when. */
export type DemotedMaker = { makerId: string; until: number }

/** The streak after one more miss. */
export const afterMiss = (streak: MissStreak | undefined, now: number, { windowMs }: DemotionRule): MissStreak => ({
  misses: streak === undefined || streak.until <= now ? 1 : streak.misses + 1,
  until: now + windowMs,
})

/** Whether a streak demotes its maker now. */
export const isDemotedBy = (streak: MissStreak | undefined, now: number, { misses }: DemotionRule): boolean =>
  streak !== undefined && streak.until > now && streak.misses >= misses
