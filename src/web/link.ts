/** A page's or a terminal's connection to its relay. Times are Unix milliseconds of this machine. */
export type Link<Reason> =
  /** No answer yet; `reason` is the last attempt's. */
  | { kind: 'connecting'; reason: Reason | null; retryAt: number | null; attempts: number }
  | { kind: 'live' }
  /** It answered before: the shown data is as old as `since`. */
  | { kind: 'lost'; since: number; retryAt: number; reason: Reason }

export const CONNECTING = { kind: 'connecting', reason: null, retryAt: null, attempts: 0 } as const

/** Before the first answer there is nothing to lose. */
export function afterLoss<Reason>(
  link: Link<Reason>,
  { at, retryAt, reason }: { at: number; retryAt: number; reason: Reason },
): Link<Reason> {
  if (link.kind === 'connecting') return { ...link, reason, retryAt, attempts: link.attempts + 1 }
  return { kind: 'lost', since: link.kind === 'lost' ? link.since : at, retryAt, reason }
}
