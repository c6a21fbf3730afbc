import type { SettlementAttestation } from '../../src/domain/attestation.ts'
import type { AuditEntry } from '../../src/domain/audit.ts'
import type { CommitTerms } from '../../src/domain/commit.ts'
import type { Quote } from '../../src/domain/quote.ts'
import type { MakerEvent, MakerMessage } from '../../src/relay/ports/live.ts'
import type { Acceptance } from '../../src/relay/ports/store.ts'
import type { Commitment } from '../../src/relay/relay.ts'

/** What happened in a run, in the order in which it took effect. The invariants are judged on this alone. */
export type Trace = {
  events: MakerEvent[]
  terminals: { makerId: string; message: Exclude<MakerMessage, { kind: 'accepted' }> }[]
  accepted: Acceptance[]
  /** Acceptances whose insert took effect and that have not ended. */
  active: Map<string, Acceptance>
  ended: { acceptanceId: string; how: string }[]
  overlaps: string[]
  /** The book as an outsider keeps it: the newest stored quote of each maker and request. */
  quotes: Map<string, Quote>
  quoted: Map<string, Set<string>>
  misses: Map<string, number>
  /** How often each maker has missed since it last confirmed, over all requests. */
  streaks: Map<string, number>
  commits: { requestId: string; terms: CommitTerms; commitment: Commitment }[]
  /** Orders that were signed. */
  signed: Acceptance[]
  /** Quotes whose maker was asked though their time was over. */
  askedLate: string[]
  /** Wallets that signed, or were asked by one maker for, more than they have. */
  overdrawn: string[]
  /** Requests that were found open after their cancel was answered. */
  openAfterCancel: string[]
  /** The resolutions that were signed. */
  attested: SettlementAttestation[]
  /** What takers were shown, in order. */
  tops: { requestId: string; status: string; bestId: string | null; quoteCount: number }[]
  /** What must never be found again: signatures that were refused, and keys. */
  secrets: string[]
  audit: AuditEntry[]
  faults: unknown[]
  /** How many events there were at each kill. */
  kills: number[]
  /** How often a maker was asked to sign when the relay was killed. */
  asked: number
  /** Requests that had ended in the store when the relay was killed: their end may have been announced, or not. */
  overBefore: Set<string>
}

/** A run in which nothing has happened. */
export const createTrace = (): Trace => ({
  events: [],
  terminals: [],
  accepted: [],
  active: new Map(),
  ended: [],
  overlaps: [],
  signed: [],
  askedLate: [],
  overdrawn: [],
  openAfterCancel: [],
  quotes: new Map(),
  quoted: new Map(),
  misses: new Map(),
  streaks: new Map(),
  commits: [],
  attested: [],
  tops: [],
  secrets: [],
  audit: [],
  faults: [],
  kills: [],
  asked: 0,
  overBefore: new Set(),
})

/** One more miss of a maker in a request. */
export function noteMiss({ misses }: Trace, { requestId, makerId }: { requestId: string; makerId: string }): void {
  const key = missKey({ requestId, makerId })
  misses.set(key, (misses.get(key) ?? 0) + 1)
}

/** How often a maker has missed in a request. */
export const missesOf = ({ misses }: Trace, quote: { requestId: string; makerId: string }): number =>
  misses.get(missKey(quote)) ?? 0

const missKey = ({ requestId, makerId }: { requestId: string; makerId: string }) => `${requestId}:${makerId}`
