import type { Domain, Order } from '../../conformance/harness/eip712.ts'

/**
 * What was seen of a cluster, on the wire and nowhere else. Times are Unix milliseconds of the observer's clock, amounts
 * whole micro-dollars and whole options: `sentAt` is before the relay can have known, `answeredAt` after it has acted.
 */
export type History = {
  /** How long a maker has to sign, in milliseconds, as the nodes were set. */
  confirmationMs: number
  /** Whether ids are also given to events that no node of this version passes on. */
  strangeEvents: boolean
  opened: Opened[]
  quotes: QuoteSeen[]
  withdrawals: { quoteId: string; sentAt: number }[]
  commits: CommitSeen[]
  confirms: { makerId: string; quoteId: string; signature: string; sentAt: number; status: number }[]
  declines: { quoteId: string; sentAt: number }[]
  /** Messages of maker sockets, each socket one list in the order in which they came. */
  sockets: { makerId: string; messages: readonly MakerMessage[] }[]
  makerStreams: MakerStreamSeen[]
  takerStreams: { requestId: string; events: readonly StreamEvent[] }[]
  /** Best quotes that takers were shown, at a moment between the two times; by a stream a little later than they were so. */
  looks: { requestId: string; by: 'poll' | 'stream'; askedAt: number; answeredAt: number; best: string | null }[]
  /** What each maker's own history says of its quotes, read at the end. */
  outcomes: { makerId: string; endings: readonly { requestId: string; quoteId: string; status: string }[] }[]
  resolutions: { seriesId: string; resolutionBps: number }[]
  /** What a 200 promised, and what the same question was answered by after the node that gave it was killed. */
  promises: { what: string; promised: string; kept: string }[]
  /** What nobody may find, where it could be found. */
  secrets: { name: string; value: string }[]
  sinks: { name: string; text: string }[]
  /** Quotes sent before any of these may be gone: Redis was emptied, or lost some writes. */
  bookLosses: number[]
}

export type Opened = {
  requestId: string
  side: 'buy' | 'sell'
  /** Micro-dollars; for buys. */
  budget: bigint | null
  /** Options; for sells. */
  size: bigint | null
  sentAt: number
  /** How many makers the relay said are connected, and how many there were at least and at most. */
  makersConnected: number
  makersBetween: readonly [least: number, most: number]
}

export type QuoteSeen = {
  requestId: string
  /** Null: it is not known whether it was taken. */
  quoteId: string | null
  makerId: string
  wallet: string
  /** Micro-dollars for one option. */
  price: bigint
  size: bigint
  sentAt: number
  answeredAt: number
  /** Null: it lives as long as its request. */
  livesMs: number | null
}

export type CommitSeen = {
  requestId: string
  wallet: string
  sentAt: number
  /** Without end, and status 0, when no answer has come. */
  answeredAt: number
  status: number
  executionId: string | null
  makerId: string | null
  /** The signed order; null where there is no chain (decision C12). */
  revealed: { order: Order; domain: Domain; signature: string } | null
}

export type MakerMessage =
  | {
      type: 'quote:accepted'
      requestId: string
      quoteId: string
      order: Order
      domain: Domain
      /** Unix milliseconds. */
      deadline: number
    }
  | { type: 'quote:confirmed' | 'quote:rejected'; requestId: string; quoteId: string }

export type StreamEvent = { event: string; id: number | null; requestId: string | null; best: string | null }

export type MakerStreamSeen = {
  makerId: string
  events: readonly StreamEvent[]
  /** The id that it was to go on after; null: from the beginning. */
  after: number | null
}

/** Nothing seen yet. */
export const emptyHistory = (): History => ({
  confirmationMs: 0,
  strangeEvents: false,
  opened: [],
  quotes: [],
  withdrawals: [],
  commits: [],
  confirms: [],
  declines: [],
  sockets: [],
  makerStreams: [],
  takerStreams: [],
  looks: [],
  outcomes: [],
  resolutions: [],
  promises: [],
  secrets: [],
  sinks: [],
  bookLosses: [],
})
