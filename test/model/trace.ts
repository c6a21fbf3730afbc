import type { SettlementAttestation } from '../../src/protocol/domain/attestation.ts'
import type { AuditEntry } from '../../src/protocol/domain/audit.ts'
import type { MakerOutcomeKind } from '../../src/protocol/domain/maker-record.ts'
import type { Quote } from '../../src/protocol/domain/quote.ts'
import type { FirmQuote } from '../../src/relay/core/create-acceptance.ts'
import type { BookTop } from '../../src/relay/core/ports/book.ts'
import type { MakerEvent } from '../../src/relay/core/ports/live.ts'
import type { Acceptance } from '../../src/relay/core/ports/store.ts'
import type { Commitment } from '../../src/relay/core/relay.ts'
import type { Moment } from '../invariants/observation.ts'

/** The best quote that a taker is shown, and the best to sell to where its request asks for both sides. */
type ShownTop = { bestId: string | null; bidId: string | null; quoteCount: number }

export const shownOf = ({ best, bestBid = null, quoteCount }: BookTop): ShownTop => ({
  bestId: best?.quoteId ?? null,
  bidId: bestBid?.quoteId ?? null,
  quoteCount,
})

/** What happened inside the relay in a run, in the order in which it took effect: what nobody outside can see. */
export type Trace = {
  events: MakerEvent[]
  accepted: Acceptance[]
  /** Acceptances whose insert took effect and that have not ended. */
  active: Map<string, Acceptance>
  ended: { acceptanceId: string; how: string }[]
  overlaps: string[]
  /** Orders that makers were given with their quotes, oldest first. */
  firmQuotes: FirmQuote[]
  /** What makers have signed of them, by signature. */
  firmSignatures: Map<string, FirmQuote>
  /** Signatures of keys that a wallet has authorised which the chain counted when it was last asked. */
  counted: Set<string>
  /** Firm signatures that were taken though the chain did not count them once their quote was held. */
  uncounted: string[]
  /** How often an order was signed by such a key. */
  delegated: number
  /** When the relay looked last whether it may take a firm quote, by acceptance. */
  looks: Map<string, Moment>
  /** When a quote was last read, and was there. */
  read: Map<string, Moment>
  /** How often a firm quote was taken. */
  taken: number
  /** The newest stored quote of each maker and request. */
  quotes: Map<string, Quote>
  commits: Commitment[]
  /** Orders that were signed. */
  signed: Acceptance[]
  /** Quotes whose maker was asked though their time was over. */
  askedLate: string[]
  /** Wallets that signed, or were asked by one maker for, more money, or more options of a series, than they have. */
  overdrawn: string[]
  /** Orders whose nonce was used on chain before anyone took them, by maker wallet and nonce; those that were handed out all the same. */
  takenBack: Set<string>
  handedOut: string[]
  /** Requests that were found open after their cancel was answered. */
  openAfterCancel: string[]
  attested: SettlementAttestation[]
  /** What takers were shown last, by request. */
  tops: Map<string, ShownTop>
  refusedSignatures: number
  audit: AuditEntry[]
  faults: unknown[]
  /** How many events there were at each kill. */
  kills: number[]
  /** How often a maker was asked to sign when the relay was killed. */
  asked: number
  /** How often a maker's protections held an acceptance back. */
  protected: number
  /** What was counted for or against makers. */
  outcomes: MakerOutcomeKind[]
  suspended: number
  /** Since when a maker has no socket, Unix milliseconds. */
  socketGoneAt: Map<string, number>
  /** When a maker with protections counts as disconnected. */
  channels: Map<string, 'any' | 'all'>
  /** Looks again whether a maker counts as disconnected. */
  noteGone: (makerId: string) => void
}

/** A run in which nothing has happened. */
export const createTrace = (): Trace => ({
  events: [],
  accepted: [],
  active: new Map(),
  ended: [],
  overlaps: [],
  signed: [],
  askedLate: [],
  overdrawn: [],
  takenBack: new Set(),
  handedOut: [],
  openAfterCancel: [],
  quotes: new Map(),
  firmQuotes: [],
  firmSignatures: new Map(),
  counted: new Set(),
  uncounted: [],
  delegated: 0,
  looks: new Map(),
  read: new Map(),
  taken: 0,
  commits: [],
  attested: [],
  tops: new Map(),
  refusedSignatures: 0,
  audit: [],
  faults: [],
  kills: [],
  asked: 0,
  protected: 0,
  outcomes: [],
  suspended: 0,
  socketGoneAt: new Map(),
  channels: new Map(),
  noteGone: () => {},
})
