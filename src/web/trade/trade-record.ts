import type {
  Address,
  CommittedTrade,
  Hex,
  PartnerFee,
  Protections,
  ShownQuote,
  Side,
  TakerRequest,
  Usd6,
} from '@rfqctl/client/index'

export type Failure = {
  /** A code of docs/reference/errors.md, or of the client's own errors. */
  code: string
  message: string
  hint: string | null
  retryable: boolean
}

export type PayBy = 'approve' | 'permit' | 'authorization' | 'permit2' | 'relayer'

/** `open` begins or grows a position, `close` leaves one. */
export type Purpose = 'open' | 'close'

/** The protections of a sent commit, kept so that a reloaded page can join it (decision C3). */
export type SentProtections = Pick<Protections, 'limitPrice' | 'minContracts' | 'expectedQuoteId' | 'firmOnly'>

export type FillStep = 'preparing' | 'wallet' | 'sent'

type Signed = { commitment: CommittedTrade; fellBackFrom: string | null }

/** Times are Unix milliseconds of the relay's clock. */
export type Stage =
  | { kind: 'quoting' }
  /** A maker is asked to sign. `askedMakerId` differs from `shown.makerId` after a fallback. */
  | {
      kind: 'committing'
      wallet: Address
      shown: ShownQuote
      protections: SentProtections
      /** Shows that the wallet is the taker's, sent each time; null: it signed nothing, absent: it was not asked. */
      proof?: Hex | null
      /** Time of the current maker's ask, as far as the page knows. */
      askedAt: number
      askedMakerId: string
    }
  /** Signed and unfilled: fillable until the order's `validUntil`. */
  | ({ kind: 'committed' } & Signed)
  /** Being filled. `hashes` are the transactions sent for it, the newest last; `orderHash` is the relayer's. */
  | ({
      kind: 'filling'
      payBy: PayBy
      step: FillStep
      hashes: readonly Hex[]
      orderHash: Hex | null
      partnerFee?: PartnerFee | null
    } & Signed)
  /** `fee`, micro-dollars, was paid to a relayer; null if the wallet filled by itself. */
  | ({
      kind: 'filled'
      hash: Hex
      blockNumber: number | null
      fee: Usd6 | null
      partnerFee?: PartnerFee | null
    } & Signed)
  /** Signed by a relay without a chain: there is nothing to fill. */
  | ({ kind: 'simulated' } & Signed)
  /** Over without a trade. `order_expired`: signed, and not filled in time. `gone`: the relay does not know it. */
  | { kind: 'ended'; how: 'expired' | 'cancelled' | 'order_expired' | 'order_cancelled' | 'gone' }

export type TradeRecord = {
  request: TakerRequest
  /** The taker's choice on a request for both sides; absent: none yet, or the request has its own side. */
  side?: Side
  purpose: Purpose
  /** A stranger's text. */
  question: string
  /** Unix milliseconds of the relay's clock. */
  openedAt: number
  stage: Stage
  /** The last refusal, if nothing succeeded since; null if there is none. */
  failure: Failure | null
  /** Rises with every change: of two pages' versions the newer one counts. */
  revision: number
}

/** The best price from `at` on, Unix milliseconds of the relay's clock. */
export type RacePoint = {
  at: number
  quoteId: string
  /** A stranger's text. */
  makerId: string
  price: Usd6
  fillContracts: bigint
  isFirm: boolean
}

/** Quotes on an open request, as far as its stream reported; not kept. */
export type Race = {
  /** In order, thinned out in the middle: see `MAX_RACE_POINTS`. */
  points: readonly RacePoint[]
  best: ShownQuote | null
  /** The best quote that fills half of the request if `best` does not; else null. */
  bestForSize: ShownQuote | null
  /** The best quote to sell to and its course, of a request for both sides, whose `best` is to buy from. */
  bestBid: ShownQuote | null
  bids: readonly RacePoint[]
  quoteCount: number
  /** Rises with every change of the book. */
  bookSeq: number
  /** `retryAt` is Unix milliseconds of the page's clock. */
  stream: { kind: 'opening' } | { kind: 'open' } | { kind: 'lost'; retryAt: number; failure: Failure }
}

export const MAX_RACE_POINTS = 600

export const MAX_KEPT_TRADES = 50
