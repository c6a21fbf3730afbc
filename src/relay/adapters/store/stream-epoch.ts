/** 2026-01-01, before any release, Unix milliseconds. */
export const BIRTH_MS = Date.UTC(2026, 0, 1)

/**
 * The epoch of stream ids that comes after one, at a time in Unix milliseconds: the minutes since 2026 began, and above it in any
 * case. So it is above what a store has forgotten, too, when that was put back to what it was before (decision M1).
 */
export const nextStreamEpoch = (stored: number, now: number): number =>
  Math.max(stored + 1, Math.floor((now - BIRTH_MS) / 60_000))
