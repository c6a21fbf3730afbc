/** A time in a sentence, in UTC to the second: 2026-11-22T03:10:00Z. Unix milliseconds, or ISO 8601 as it is kept in a file. */
export const utcText = (at: number | string): string =>
  (typeof at === 'number' ? new Date(at).toISOString() : at).replace(/\.\d{3}Z$/, 'Z')
