/** 2026-01-01, before any release, Unix milliseconds. */
export const BIRTH_MS = Date.UTC(2026, 0, 1)

/**
 * The next epoch of stream ids at a time in Unix milliseconds: the minutes since 2026 began, and always above the
 * stored one. So it is above the epochs that a restored store has lost, too (decision M1).
 */
export const nextStreamEpoch = (stored: number, now: number): number =>
  Math.max(stored + 1, Math.floor((now - BIRTH_MS) / 60_000))
