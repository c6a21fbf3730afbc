import type { ListingRule, PlannedSeries, SourceMarket } from '@rfqctl/protocol/domain/listing'
import type { SeriesId, SeriesTerms } from '@rfqctl/protocol/domain/series'
import type { Hex } from '@rfqctl/protocol/domain/units'

/** What a lister keeps up, and what it lets its wallets be used for. */
export type ListerSettings = {
  rule: ListingRule
  /** Series registered in one round at most. */
  maxSeries: number
  /** How long a market may be without a price before its series are halted, milliseconds. */
  quietMs: number
  /** The most that is paid for a unit of gas, wei. */
  maxGasPrice: bigint
  /** The coin that gas may cost within 24 hours, wei, of each wallet. */
  maxCoinPerDay: bigint
}

/** How a transaction ended: mined, at a cost in wei, or not; `wasSent`: it may be mined yet, or was and failed. */
export type SentCall =
  | { kind: 'mined'; hash: Hex; cost: bigint }
  | { kind: 'failed'; error: Error; wasSent: boolean; isRefusal: boolean }

/** A wallet that only the lister uses. `gasPrice` is what a unit of gas costs now at the most, wei. */
export type ListingWallet = { gasPrice: () => Promise<bigint> }

/** Who registers series. */
export type Registrar = ListingWallet & { register: (series: PlannedSeries, signal: AbortSignal) => Promise<SentCall> }

/** Who halts series, up to `SERIES_PER_HALT` at once. */
export type Halter = ListingWallet & {
  halt: (seriesIds: readonly SeriesId[], signal: AbortSignal) => Promise<SentCall>
}

/** What a lister needs of the world. Each read rejects when it fails: nothing is decided by an answer that did not come. */
export type ListerPorts = {
  /** The markets that are to have series. */
  markets: () => Promise<readonly SourceMarket[]>
  /** Prices of a YES token with from <= t <= to, Unix seconds; null where no source is known, and nothing is called quiet. */
  prices: ((yesTokenId: string, from: number, to: number) => Promise<readonly { t: number }[]>) | null
  /** Series that can be traded as far as the relay knows, packages too. */
  openSeries: () => Promise<readonly (SeriesTerms & { seriesId: SeriesId })[]>
  /** Time of the chain, Unix seconds. */
  chainTime: () => Promise<number>
  /** Those of some series that the core has. */
  registered: (
    seriesIds: readonly SeriesId[],
  ) => Promise<ReadonlyMap<SeriesId, { expiry: number; isHalted: boolean; isSettled: boolean }>>
  registrar: Registrar
  /** Null where no key for it was given: then it is only said what is quiet. */
  halter: Halter | null
}

/** What a lister did, or could not do yet. */
export type ListerNews =
  /** A series was registered by the transaction `hash`. */
  | { kind: 'series_listed'; seriesId: SeriesId; series: PlannedSeries; hash: Hex }
  /** Series of a market without a price since `quietMs` were halted by the transaction `hash`. */
  | { kind: 'series_halted'; seriesIds: readonly SeriesId[]; conditionId: Hex; hash: Hex }
  /** A market has been without a price since `quietMs`, and no one here may halt its series. */
  | { kind: 'market_quiet'; seriesIds: readonly SeriesId[]; conditionId: Hex }
  /** Something could not be done, for this `error`; the next round tries again. */
  | { kind: 'postponed'; what: 'listing' | 'watching' | 'prices' | 'registration' | 'halt'; error: Error }
