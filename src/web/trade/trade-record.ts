import type { Address, CommittedTrade, Hex, Protections, ShownQuote, TakerRequest, Usd6 } from '@rfqctl/client/index'

/** Why something did not go: the sentence and the hint of who refused, as they are. */
export type Failure = {
  /** For programs: a code of docs/errors.md, or of the client's own errors. */
  code: string
  message: string
  /** What to do about it; null where no one said. */
  hint: string | null
  /** Whether the same again can succeed. */
  retryable: boolean
}

/** How the money of a fill moves: what the client calls a way to pay, or a relayer that fills for a fee. */
export type PayBy = 'approve' | 'permit' | 'authorization' | 'permit2' | 'relayer'

/** What a trade is for: a position that begins or grows, or one that it leaves. */
export type Purpose = 'open' | 'close'

/** The protections that a commit was sent with. They are kept, so that a page that was reloaded can join it (decision C3). */
export type SentProtections = Pick<Protections, 'limitPrice' | 'minContracts' | 'expectedQuoteId' | 'firmOnly'>

/** How far a fill has come. */
export type FillStep =
  /** Terms of the relayer, or what is approved, are read. */
  | 'preparing'
  /** The wallet was asked to sign or to send. */
  | 'wallet'
  /** A transaction is on its way. */
  | 'sent'

/** Where a trade stands. Times are Unix milliseconds of the relay's clock. */
export type Stage =
  /** The request is open, and quotes come. */
  | { kind: 'quoting' }
  /** A maker is asked to sign. `askedMakerId` differs from `shown.makerId` once another one was asked in its place. */
  | {
      kind: 'committing'
      wallet: Address
      shown: ShownQuote
      protections: SentProtections
      /** What shows that the wallet is the taker's, sent with it each time; null: the wallet signed nothing, absent: it was not asked. */
      proof?: Hex | null
      /** When the maker that is asked now was asked, as far as the page can tell. */
      askedAt: number
      askedMakerId: string
    }
  /** Signed, and not filled: it can be until the order's `validUntil`. */
  | { kind: 'committed'; commitment: CommittedTrade; fellBackFrom: string | null }
  /** Being filled. `hashes` are the transactions that were sent for it, the newest last; `orderHash` is the relayer's. */
  | {
      kind: 'filling'
      commitment: CommittedTrade
      fellBackFrom: string | null
      payBy: PayBy
      step: FillStep
      hashes: readonly Hex[]
      orderHash: Hex | null
    }
  /** Filled on the chain. */
  | {
      kind: 'filled'
      commitment: CommittedTrade
      fellBackFrom: string | null
      hash: Hex
      blockNumber: number | null
      /** What a relayer was paid, micro-dollars; null where the wallet filled by itself. */
      fee: Usd6 | null
    }
  /** Signed by a relay that settles on no chain: there is nothing to fill. */
  | { kind: 'simulated'; commitment: CommittedTrade; fellBackFrom: string | null }
  /** Over without a trade. `order_expired`: it was signed, and not filled in time. `gone`: the relay knows nothing of it. */
  | { kind: 'ended'; how: 'expired' | 'cancelled' | 'order_expired' | 'order_cancelled' | 'gone' }

/** A request with all that became of it: what survives a reload. */
export type TradeRecord = {
  request: TakerRequest
  purpose: Purpose
  /** What the market asks, a stranger's text. */
  question: string
  /** When it was opened, Unix milliseconds of the relay's clock. */
  openedAt: number
  stage: Stage
  /** What was refused last, and is not done since; null where nothing was. */
  failure: Failure | null
  /** Rises with every change: of two pages the newer one counts. */
  revision: number
}

/** A price that was the best one, from `at` on, Unix milliseconds of the relay's clock. */
export type RacePoint = {
  at: number
  quoteId: string
  /** Who quoted: a stranger's text. */
  makerId: string
  price: Usd6
  fillContracts: bigint
  isFirm: boolean
}

/** The quotes on an open request, as far as its stream told; not kept. */
export type Race = {
  /** The best prices in their order, thinned out in the middle: see `MAX_RACE_POINTS`. */
  points: readonly RacePoint[]
  best: ShownQuote | null
  /** The best quote that fills half of what is asked, where `best` does not; else null. */
  bestForSize: ShownQuote | null
  quoteCount: number
  /** Rises with every change of the book. */
  bookSeq: number
  /** Whether the stream is open; `retryAt` is Unix milliseconds of the page's clock. */
  stream: { kind: 'opening' } | { kind: 'open' } | { kind: 'lost'; retryAt: number; failure: Failure }
}

/** The most points that a race keeps. */
export const MAX_RACE_POINTS = 600

/** The most trades that a page keeps. */
export const MAX_KEPT_TRADES = 50
