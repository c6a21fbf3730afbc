/**
 * When something was observed: Unix milliseconds, and a number that rises with each observation of a history, which
 * tells those of the same millisecond apart.
 */
export type Moment = { at: number; order: number }

/** An order as makers sign it. Addresses may be in any case; `validUntil` is in Unix seconds. */
export type OrderSeen = {
  maker: string
  seriesId: string
  /** Whole options. */
  optionAmount: string
  /** Whole micro-dollars. */
  premiumAmount: string
  makerSelling: boolean
  taker: string
  validUntil: number
  nonce: number
}

/** The side of a taker. */
export type SideSeen = 'buy' | 'sell'

/** An EIP-712 domain. */
export type DomainSeen = { name: string; version: string; chainId: number; verifyingContract: string }

/**
 * Something that makers and takers sent or were sent, whoever watched. A call has the moment in which it was sent, before
 * the relay can have known of it, and the one in which it was answered, after the relay has acted; null: no answer came.
 */
export type Observation =
  /**
   * A taker opened a request. Budgets are micro-dollars, sizes options; a purchase has both where it is bounded by both. One for both sides
   * has a size.
   */
  /**
   * `namesWallet`: whether it names the taker's wallet; `expiresAt`: until when it takes quotes and shows them, Unix milliseconds. Absent
   * where that is not observed.
   */
  | {
      kind: 'request_opened'
      requestId: string
      side: SideSeen | 'both'
      budget: bigint | null
      size: bigint | null
      namesWallet?: boolean
      expiresAt?: number
    }
  /** The relay said how many makers are connected, of whom there were so many at least and at most. */
  | { kind: 'makers_counted'; requestId: string | null; counted: number; least: number; most: number }
  | QuoteSeen
  /**
   * A maker withdrew a quote, and the relay took it out, or took it out by the maker's protections. `mayStand`: it may have,
   * or its rank is not known; absent: it has. `answered`: its own withdrawal, by a 200.
   */
  /**
   * `goneMaker`: the relay took the quote of this maker by itself, because it was gone; `judgedAt`: at that time of its own,
   * Unix milliseconds, which is earlier than when it was taken. Absent: it took no time.
   */
  | {
      kind: 'quote_withdrawn'
      requestId: string
      quoteId: string
      sent: Moment
      answered?: Moment
      mayStand?: true
      goneMaker?: string
      judgedAt?: number
    }
  | QuoteShown
  | CommitSeen
  | CancelSeen
  /** How a request is said to be by a poll, at a moment between the two. */
  | {
      kind: 'polled'
      requestId: string
      asked: Moment
      answered: Moment
      status: 'open' | 'committed' | 'cancelled' | 'expired'
    }
  | OrderSent
  | QuoteMadeFirm
  | OrderTaken
  /** A maker sent an order back unsigned, or the relay took it back before its deadline. */
  | { kind: 'order_released'; requestId: string; quoteId: string; moment: Moment }
  /** A maker was not asked to sign, because it could not pay or was not there; `isLongGone`: it had no socket for long. */
  | { kind: 'passed_over'; requestId: string; quoteId: string; isLongGone?: boolean }
  /** A maker declines an order. A `status` of 0: no answer came. */
  | {
      kind: 'declined'
      requestId: string
      makerId: string
      quoteId: string
      sent: Moment
      status: number
      /** Its node was killed before it answered, cut off, or hung for too long: no other one knows of it. */
      isLost?: true
    }
  /** A wallet that makers quote from was emptied. */
  | { kind: 'wallet_emptied'; wallet: string }
  /** The only relay was killed: what it was told may be gone. */
  | { kind: 'relay_killed'; moment: Moment }
  /** The relay suspends a maker until then, Unix milliseconds, or lets it in again before. `because`: what it says it is for. */
  | { kind: 'maker_suspended'; makerId: string; until: number; moment: Moment; because?: readonly OutcomeSeen[] }
  | { kind: 'maker_reinstated'; makerId: string; moment: Moment }
  /** What a maker's record says; of several reads the last counts. */
  | {
      kind: 'record_read'
      makerId: string
      outcomes: readonly OutcomeSeen[]
    }
  /** Two nodes were asked for a maker's record, which did not change meanwhile. */
  | { kind: 'records_compared'; makerId: string; one: string; other: string }
  /** A maker has missed so many deadlines in the request; where it is not observed, it is inferred from the deadlines. */
  | { kind: 'deadlines_missed'; requestId: string; makerId: string; misses: number; moment: Moment }
  /** A maker's quotes begin or cease to rank behind those of all others (decision Q6). */
  | { kind: 'maker_demoted'; makerId: string; isDemoted: boolean; moment: Moment }
  | {
      kind: 'confirm'
      requestId: string
      makerId: string
      quoteId: string
      signature: string
      sent: Moment
      /** Null or absent: no answer came, or its time is not observed. */
      answered?: Moment | null
      /** 0: no answer came. */
      status: number
      /** Whether it was refused as not the maker's; absent: its status tells. */
      isWrong?: boolean
      /** Its node was killed before it answered, cut off, or hung for too long: no other one knows of it. */
      isLost?: true
    }
  /** `quote:confirmed` or `quote:rejected` on a maker's socket. */
  | {
      kind: 'quote_ended'
      requestId: string
      makerId: string
      socket: string
      quoteId: string
      outcome: 'confirmed' | 'rejected'
      /** What it has signed before anyone committed, where it is told. */
      order?: OrderSeen
    }
  /** A socket of a maker. `isLasting`: it is open from before any request until all is over, so that silence tells. */
  | { kind: 'socket_opened'; socket: string; makerId: string; isLasting: boolean }
  /** A maker's stream, which goes on after an id; null: from a snapshot on. `isLasting`: as of a socket. */
  | { kind: 'maker_stream_opened'; stream: string; after: number | null; isLasting: boolean }
  /** `order:filled`, `order:cancelled` or `order:expired` on a maker's socket; `transactionHash` null: it expired. */
  | {
      kind: 'order_ended'
      requestId: string
      makerId: string
      socket: string
      quoteId: string
      state: string
      transactionHash: string | null
      moment: Moment
    }
  /** An event of a maker's stream; `id` and `requestId` are null where it has none. */
  | { kind: 'maker_event'; stream: string; event: string; id: number | null; requestId: string | null; moment: Moment }
  /** A taker's stream of its request that is read to its end, so that silence tells. */
  | { kind: 'taker_stream_opened'; stream: string; requestId: string }
  /** An event of a taker's stream: `best_quote`, `closed` and others. */
  | { kind: 'taker_event'; stream: string; event: string; requestId: string; moment: Moment }
  /** A kill may have taken the news of how a request ended: that somebody was not told of it on a connection says nothing. */
  | { kind: 'news_lost'; requestId: string }
  /** What a maker's own history says of its quotes; `begunAt`: since when it was read, Unix milliseconds, where that tells. */
  | { kind: 'history_read'; makerId: string; endings: readonly EndingRead[]; begunAt?: number }
  /** What was promised by a 200, and the answer to the same question later. */
  | { kind: 'promise_reread'; what: string; promised: string; kept: string }
  /** A series was resolved, in basis points. */
  | { kind: 'series_resolved'; seriesId: string; resolutionBps: number }
  /** What must be found nowhere. */
  | { kind: 'secret'; name: string; value: string }
  /** A place where a secret could be found. */
  | { kind: 'sink'; name: string; text: string }
  /**
   * A maker has put protections, which stand from then on. `graceMs`: its quotes go so long after it disconnected; null: they
   * stay. Null in a window: no bound. Micro-dollars and options.
   */
  | {
      kind: 'protections_put'
      makerId: string
      windows: readonly {
        ms: number
        maxAccepted: number | null
        maxContracts: bigint | null
        maxNotional: bigint | null
      }[]
      graceMs: number | null
      moment: Moment
    }
  /** A maker has reset its protections: its windows begin to count again. */
  | { kind: 'protections_reset'; makerId: string; moment: Moment }
  /**
   * A maker has disconnected, in the sense of its protections, or has come back. `channel`: the one that it has lost, or has again,
   * where its protections want both; absent: it was without either, or is no more. `knownAt`: when the news of it reached the relay,
   * Unix milliseconds; absent: it needed none.
   */
  | { kind: 'maker_gone'; makerId: string; channel?: 'stream' | 'socket'; moment: Moment; knownAt?: number }
  | { kind: 'maker_back'; makerId: string; channel?: 'stream' | 'socket'; moment: Moment }
  /**
   * A maker itself has left, and reads nothing of what is on its way to it. The relay may count it as connected for longer: by a node that
   * has died.
   */
  | { kind: 'maker_left'; makerId: string; moment: Moment }
  /** Between two moments, Unix milliseconds, the clocks of nodes were so far from that of their observers, in milliseconds. */
  | { kind: 'clocks_apart'; from: number; until: number; byMs: number }
  /** The live market was lost, or a part of it: quotes of before may be gone. */
  | { kind: 'book_lost'; moment: Moment }

export type QuoteSeen = {
  kind: 'quote'
  requestId: string
  makerId: string
  wallet: string
  /** Micro-dollars for one option. */
  price: bigint
  /** What its maker pays for one where both sides are asked for: `price` is then what it takes. Absent elsewhere. */
  otherPrice?: bigint
  size: bigint
  /** Null: it lives as long as its request. */
  livesMs: number | null
  sent: Moment
  answered: Moment | null
  /** Since when the relay counts it, Unix milliseconds, by which it ranks among those of one price; null: not observed. */
  countsFrom: number | null
  /** Null: it was refused, or it is not known whether it was taken. */
  quoteId: string | null
  isRefused: boolean
  /** A live market that lost its last writes may have lost it: the one before may be back. Absent: it has not. */
  mayBeLost?: true
}

/** The best quote that a taker was shown, at a moment between the two; by a stream a little later than it was so. */
export type QuoteShown = {
  kind: 'quote_shown'
  requestId: string
  by: 'poll' | 'stream'
  asked: Moment
  answered: Moment
  /** The side on which it is the best, where both are asked for; absent elsewhere. */
  side?: SideSeen
  quoteId: string | null
  /** How many quotes are live, as the taker was told; null: it was not. */
  quoteCount: number | null
}

export type CommitSeen = {
  kind: 'commit'
  requestId: string
  wallet: string
  /** The side that it names, where both are asked for; absent elsewhere. */
  side?: SideSeen
  /** The worst price that the taker agreed to, in micro-dollars; null: any. */
  limitPrice: bigint | null
  sent: Moment
  answered: Moment | null
  /** 0: no answer came. */
  status: number
  /** Why it was refused; absent: it was not, or the reason is not observed. */
  code?: string
  executionId: string | null
  /** The quote that was traded. */
  quoteId: string | null
  /** Whether the taker takes firm quotes only; absent: no. */
  isFirmOnly?: boolean
  /** Whether the quote was firm, as the taker was told; absent: no. */
  isFirm?: boolean
  /** The signed order and when it was revealed, Unix milliseconds; null where there is no chain (decision C12). */
  revealed: { order: OrderSeen; domain: DomainSeen; signature: string; at: number } | null
}

/** A taker cancels its request. A `status` of 0: no answer came; `code` absent: it was not refused. */
export type CancelSeen = {
  kind: 'cancel'
  requestId: string
  sent: Moment
  answered: Moment | null
  status: number
  code?: string
}

/** `quote:accepted`: a maker was asked to sign. */
export type OrderSent = {
  kind: 'order_sent'
  requestId: string
  makerId: string
  quoteId: string
  order: OrderSeen
  /** Until when it can sign, in Unix milliseconds. */
  deadline: number
  /** When it was asked at the latest. */
  asked: Moment
  /** When the relay decided to ask it, where that is seen. */
  counted?: Moment
  /** Whether its taker has proved its wallet, where that is seen. */
  isProven?: boolean
  /** The relay took it back before it was to be signed: it fills no window, also where a maker has just come and read it. */
  isTakenBack?: true
}

/** A maker has signed the order of its quote before anyone commits. */
export type QuoteMadeFirm = {
  kind: 'quote_sealed'
  requestId: string
  makerId: string
  quoteId: string
  order: OrderSeen
  /** What it was signed for, where that is observed. */
  domain?: DomainSeen
  signature: string
  sent: Moment
  answered: Moment | null
  /** 0: no answer came. */
  status: number
}

/**
 * A commit took a firm quote. `asked`: when the relay looked last whether it may, `counted`: when it was decided, `read`: when
 * its quote was read last, where that is seen.
 */
export type OrderTaken = {
  kind: 'order_taken'
  requestId: string
  makerId: string
  quoteId: string
  order: OrderSeen
  signature: string
  asked: Moment
  counted: Moment
  isProven?: boolean
  read?: Moment
}

/** What a record counts. `at`: when it was counted, Unix milliseconds; absent: it is not known. */
export type OutcomeSeen = { requestId: string; quoteId: string; outcome: string; at?: number }

/** An ending in a maker's own history; with an order, how that stands. */
export type EndingRead = {
  requestId: string
  quoteId: string
  status: string
  orderStatus?: { state: string; transactionHash?: string }
}

/** Observations of one kind. */
export type ObservationOf<Kind extends Observation['kind']> = Extract<Observation, { kind: Kind }>

/** Numbers the moments of one history by the clock of whoever collects it. */
export function createMoments(now: () => number): () => Moment {
  let order = 0
  return () => {
    order += 1
    return { at: now(), order }
  }
}
