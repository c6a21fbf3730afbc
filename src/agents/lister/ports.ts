import type { ListingRule, PlannedSeries, SourceMarket } from '@rfqctl/protocol/domain/listing'
import type { SeriesId, SeriesTerms } from '@rfqctl/protocol/domain/series'
import type { Hex } from '@rfqctl/protocol/domain/units'

/** The lister's limits, and its wallets' spending limits. */
export type ListerSettings = {
  rule: ListingRule
  /** Most series registered per round. */
  maxSeries: number
  /** A market without a price for this long has its series halted, milliseconds. */
  quietMs: number
  /** Most per unit of gas, wei. */
  maxGasPrice: bigint
  /** Most for gas within 24 hours, wei, per wallet. */
  maxCoinPerDay: bigint
}

/** The end of a transaction: mined, at a cost in wei, or not; `wasSent`: it may be mined yet, or was and failed. */
export type SentCall =
  | { kind: 'mined'; hash: Hex; cost: bigint }
  | { kind: 'failed'; error: Error; wasSent: boolean; isRefusal: boolean }

/** A wallet used by the lister alone. `gasPrice` is the current upper bound per unit of gas, wei. */
export type ListingWallet = { gasPrice: () => Promise<bigint> }

export type Registrar = ListingWallet & { register: (series: PlannedSeries, signal: AbortSignal) => Promise<SentCall> }

/** Halts series, up to `SERIES_PER_HALT` at once. */
export type Halter = ListingWallet & {
  halt: (seriesIds: readonly SeriesId[], signal: AbortSignal) => Promise<SentCall>
}

/** The lister's view of the world. Each read rejects when it fails, so that a missing answer decides nothing. */
export type ListerPorts = {
  /** Markets to list. */
  markets: () => Promise<readonly SourceMarket[]>
  /** Prices of a YES token with from <= t <= to, Unix seconds; null without a source: no market counts as quiet. */
  prices: ((yesTokenId: string, from: number, to: number) => Promise<readonly { t: number }[]>) | null
  /** Tradable series known to the relay, packages included. */
  openSeries: () => Promise<readonly (SeriesTerms & { seriesId: SeriesId })[]>
  /** Chain time, Unix seconds. */
  chainTime: () => Promise<number>
  /** The given series that the core has. */
  registered: (
    seriesIds: readonly SeriesId[],
  ) => Promise<ReadonlyMap<SeriesId, { expiry: number; isHalted: boolean; isSettled: boolean }>>
  registrar: Registrar
  /** Null without its key: quiet markets are then only reported. */
  halter: Halter | null
}

/** The lister's actions, and those that it postponed. */
export type ListerNews =
  /** The transaction `hash` registered a series. */
  | { kind: 'series_listed'; seriesId: SeriesId; series: PlannedSeries; hash: Hex }
  /** The transaction `hash` halted the series of a market without a price for `quietMs`. */
  | { kind: 'series_halted'; seriesIds: readonly SeriesId[]; conditionId: Hex; hash: Hex }
  /** A market has had no price for `quietMs`, and the lister has no key to halt its series. */
  | { kind: 'market_quiet'; seriesIds: readonly SeriesId[]; conditionId: Hex }
  /** Failed with `error`; the next round tries again. */
  | { kind: 'postponed'; what: 'listing' | 'watching' | 'prices' | 'registration' | 'halt'; error: Error }
