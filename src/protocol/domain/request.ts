import type { Audience, PRIVATE_FIELDS } from './audience.ts'
import { RfqError } from './errors.ts'
import { maxPayoff, type Option, optionOf } from './option.ts'
import type { SeriesId, SeriesTerms } from './series.ts'
import { type Address, type Contracts, type Hex, type Usd6, usd6 } from './units.ts'

/** The taker's side of the trade. */
export type Side = 'buy' | 'sell'

/** The taker's trade on one side; a seller writes what it does not hold. */
export type OneSidedTrade =
  /** As many options as `budget` pays for, and at most `most`; `reduceOnly`: only what it has written. */
  | { side: 'buy'; budget: Usd6; reduceOnly?: true; most?: Contracts }
  /** Sells `size`; `reduceOnly`: only what it holds. */
  | { side: 'sell'; size: Contracts; reduceOnly?: true }

/** A taker that has not said its side: makers price `size` options on both, and its commit names one. */
export type TwoSidedTrade = { side: 'both'; size: Contracts }

/** The trade of a request. */
export type Trade = OneSidedTrade | TwoSidedTrade

/** The option a taker asks about. */
export type RequestedOption = Option & {
  /** Parts of a second are dropped. */
  expiryMs: number
}

/** The market a taker asks about. */
export type RequestedMarket = {
  conditionId: Hex
  /** Decimal text. */
  yesTokenId: string
  /** In the taker's words: untrusted text, only shown; null where it gave none. */
  question: string | null
  /** In dollars when the request was opened; absent where the relay did not know it. */
  yesPrice?: number
}

/** The limit of a request that commits by itself: the terms of that commit beside its wallet. */
export type StandingLimit = {
  /** The worst price per option, micro-dollars: the most on a buy, the least on a sell. */
  limitPrice: Usd6
  /** The fewest options; null accepts any. */
  minContracts: Contracts | null
  /** The taker's side, where the request asks for both; else absent. */
  side?: Side
  /** The wallet's signature of that commit, in hex; absent: the wallet is not shown to be the taker's. */
  proof?: string
}

/** Terms of a request that a taker opens. */
export type RequestTerms = {
  /** Null where makers do not see it. */
  wallet: Address | null
  /** The wallet of a blind request, which commits alone: of the makers only the one that is asked to sign learns it. */
  blindWallet?: Address
  /** Whether only firm quotes are taken, which need a `wallet`; absent: no. */
  firmOnly?: true
  /**
   * Whether the seller's own options count, since the taker can fill by `fillFromInventory`; absent: only with `reduceOnly`.
   */
  inventory?: true
  /** Makers that hear of it; absent: all. No maker sees who else does. */
  audience?: Audience
  /** The relay commits by itself once a quote is within it; absent: only its taker commits. Makers do not see it. */
  standing?: StandingLimit
  /** The market of the option. */
  market: RequestedMarket
  option: RequestedOption
  /** The side, or both, with the budget or the size. */
  trade: Trade
}

/**
 * A quote request. Times are Unix milliseconds.
 * `takerSecretDigest` is the SHA-256 of the secret that only the creator holds; `locked` makes commit, poll and stream
 * need it too.
 */
export type QuoteRequest = RequestTerms & {
  requestId: string
  seriesId: SeriesId
  createdAt: number
  expiresAt: number
  locked: boolean
  takerSecretDigest: string
  /** Rating of the wallet that it names, when the request was opened; absent where makers do not see it. */
  takerRating?: TakerRating
  /** W3C `traceparent` of its trace; absent where it is not traced. */
  traceparent?: string
}

/** A request, or its terms, on one side. */
export type OneSided<Terms extends { trade: Trade }> = Omit<Terms, 'trade'> & { trade: OneSidedTrade }

/** Terms of a request on one side. */
export type OneSidedTerms = Omit<RequestTerms, 'trade'> & { trade: OneSidedTrade }

/**
 * A request as it reads on a side: one that asks for both buys or sells its size there. The budget of such a purchase never binds, since
 * no option costs more than it can pay.
 * @param request - The request, or its terms.
 * @param side - The taker's side; of a request that has one, that one.
 * @returns The same with a trade on that side.
 * @throws {RfqError} `side_mismatch` where it asks for the other side alone.
 * @example
 * onSide({ option, trade: { side: 'both', size } }, 'sell').trade // { side: 'sell', size }
 */
export function onSide<Request extends Pick<RequestTerms, 'trade' | 'option'>>(
  request: Request,
  side: Side,
): OneSided<Request> {
  const { trade, option } = request
  if (trade.side === 'both') return { ...request, trade: tradeOn(side, trade, maxPayoff(option)) }
  if (trade.side !== side) throw new RfqError('side_mismatch')
  return { ...request, trade }
}

const tradeOn = (side: Side, { size }: TwoSidedTrade, mostEach: Usd6): OneSidedTrade =>
  side === 'sell' ? { side, size } : { side, budget: usd6(size * mostEach), most: size }

/** Whether a trade only reduces what the taker holds, or has written. */
export const isReduceOnly = (trade: Trade): boolean => trade.side !== 'both' && trade.reduceOnly === true

/** The sides that a request asks makers to price. */
export const sidesOf = ({ side }: Trade): readonly Side[] => (side === 'both' ? ['buy', 'sell'] : [side])

export const otherSide = (side: Side): Side => (side === 'buy' ? 'sell' : 'buy')

/** The wallet that a request is of, whether makers see it or not; null where it was not named. */
export const walletOf = ({ wallet, blindWallet }: Pick<RequestTerms, 'wallet' | 'blindWallet'>): Address | null =>
  wallet ?? blindWallet ?? null

/** Fields of an opening by which terms keep something from makers. */
export const privateFieldsOf = ({
  audience,
  blindWallet,
  standing,
}: Pick<RequestTerms, 'audience' | 'blindWallet' | 'standing'>): (typeof PRIVATE_FIELDS)[number][] => [
  ...(audience === undefined ? [] : [audience.kind === 'only' ? ('makers' as const) : ('exceptMakers' as const)]),
  ...(blindWallet === undefined ? [] : ['blind' as const]),
  ...(standing === undefined ? [] : ['standing' as const]),
]

/** Whether a fill may move options that their seller holds, by the choice of the taker that asked. */
export const takesInventory = ({ inventory, trade }: Pick<RequestTerms, 'inventory' | 'trade'>): boolean =>
  inventory === true || isReduceOnly(trade)

/** Most orders that a taker's rating counts, and the longest time that it may look back, milliseconds. */
export const RATED_ORDERS = 100
export const MAX_RATING_MS = 90 * 86_400_000

/** Fills among the orders of a taker wallet that ended lately, except where their maker cancelled or defunded them. */
export type TakerRating = {
  /** Number of these orders. */
  orders: number
  /** Number that the taker filled. */
  filled: number
}

/** `open` also while a confirmation is pending. */
export type RequestStatus = 'open' | ClosedStatus

/** The ways in which a request can end. */
export type ClosedStatus = 'committed' | 'expired' | 'cancelled'

/** The terms of the series that a request asks about; expiry is floored to seconds (decision U6). */
export function seriesTermsOf({ market, option }: Pick<RequestTerms, 'market' | 'option'>): SeriesTerms {
  return {
    conditionId: market.conditionId,
    yesTokenId: market.yesTokenId,
    expiry: expirySecond(option.expiryMs),
    ...optionOf(option),
  }
}

/**
 * A series as a taker asks for it.
 * @param series - The series.
 * @returns Its option with its expiry in milliseconds.
 * @example
 * import { toRequestedOption } from 'rfqctl/client'
 *
 * const option = toRequestedOption(await taker.getSeries({ seriesId }))
 */
export const toRequestedOption = (series: Option & Pick<SeriesTerms, 'expiry'>): RequestedOption => ({
  ...optionOf(series),
  expiryMs: series.expiry * 1_000,
})

/**
 * The time at which a request created at `now` closes, Unix milliseconds: after its TTL, but never after the end of trading, the
 * Unix second `tradingEndsAt` (decision Q3).
 */
export const requestExpiry = ({ now, ttlMs, tradingEndsAt }: { now: number; ttlMs: number; tradingEndsAt: number }) =>
  Math.min(now + ttlMs, tradingEndsAt * 1_000)

/** The second in which an option expires: Unix seconds, the part of a second dropped (decision U6). */
export const expirySecond = (expiryMs: number): number => Math.floor(expiryMs / 1_000)

/**
 * The part of a request without a trade that is remembered: all but its question and its standing limit, texts whose length a
 * stranger chose. A caller that asks after its end sees how it ended, and no question.
 */
export function withoutTexts<Request extends { market: RequestedMarket; standing?: unknown }>(
  request: Request,
): Omit<Request, 'standing'> {
  const { standing: _, ...kept } = request
  return { ...kept, market: { ...request.market, question: null } }
}

/** A quote request as its taker knows it. */
export type OpenedRequest = {
  requestId: string
  /** The time at which it expires. */
  expiresAt: number
  /** Number of makers that receive it. */
  makersConnected: number
  /** Keep it like a key. */
  takerSecret: string
  seriesId: SeriesId
  /** Whether the chain has the series: if not, a trade cannot be filled. */
  seriesListed: boolean
}
