import { encodeAbiParameters, keccak256 } from 'viem/utils'
import {
  isPackage,
  type Option,
  type OptionType,
  optionOf,
  optionTypeNumber,
  type PackageOption,
  packLegs,
  type VanillaOption,
} from './option.ts'
import type { Hex, ResolutionBps } from './units.ts'

/** Canonical decimal text of a uint256; also the ERC-1155 token id of the long position. */
export type SeriesId = string

/** Terms of a series. */
export type SeriesTerms = Option & {
  /** In lower case. */
  conditionId: Hex
  /** Canonical decimal text. */
  yesTokenId: string
  /** Expiry of the options, Unix seconds. */
  expiry: number
}

/** Terms of a series of a single call or put. */
export type VanillaTerms = VanillaOption & Pick<SeriesTerms, 'conditionId' | 'yesTokenId' | 'expiry'>

/** Terms of a package. */
export type PackageTerms = PackageOption & Pick<SeriesTerms, 'conditionId' | 'yesTokenId' | 'expiry'>

/** A series as discovery shows it. */
export type ListedSeries = SeriesTerms & {
  /** The hash of its terms. */
  seriesId: SeriesId
  /** Null until the series is settled. */
  resolutionBps: ResolutionBps | null
  /** Time from which the price is final and claims are open, Unix seconds; absent while it is unsettled. */
  finalAt?: number
  /** Whether a price was taken back before it was final: the chain takes no more attestations. */
  vetoed?: boolean
}

/** A registered series as the chain knows it. */
export type Series = ListedSeries & {
  /** Whether no new options of it are written. */
  halted: boolean
}

/** Whether the price of a series can still be taken back, at a time in Unix seconds: until then no one can claim. */
export const isDisputable = ({ finalAt }: Pick<Series, 'finalAt'>, chainTime: number): boolean =>
  finalAt !== undefined && chainTime < finalAt

const UINT256_END = 1n << 256n

/** Fields whose hash is the id of a series, in this order. */
export const SERIES_ABI = [
  { name: 'conditionId', type: 'bytes32' },
  { name: 'yesTokenId', type: 'uint256' },
  { name: 'strikeBps', type: 'uint16' },
  { name: 'expiry', type: 'uint64' },
  { name: 'optionType', type: 'uint8' },
] as const

/** The same words as they are encoded: the legs of a package take the place of the strike, and need all of a word. */
const ID_WORDS = SERIES_ABI.map(({ type }) => ({ type: type === 'bytes32' ? type : 'uint256' }))

/**
 * The part of an option in the id of its series: the strike of a call (kind 0) or a put (kind 1), the packed legs of a package
 * (kind 2). So a package never has the id of a single option (decision K2).
 */
export const shapeOf = (option: Option): { shape: bigint; kind: 0 | 1 | 2 } =>
  isPackage(option)
    ? { shape: packLegs(option.legs), kind: 2 }
    : { shape: BigInt(option.strikeBps), kind: optionTypeNumber(option.optionType) }

/**
 * The id of a series: keccak256 over its ABI-encoded terms (decisions U6, K2).
 * @param terms - The terms that define the series.
 * @returns A uint256 as decimal text.
 * @example
 * import { computeSeriesId } from 'rfqctl/client'
 *
 * const series = await taker.getSeries({ seriesId })
 * computeSeriesId(series) === series.seriesId
 */
export function seriesIdOf(terms: SeriesTerms): SeriesId {
  const { shape, kind } = shapeOf(terms)
  const encoded = encodeAbiParameters(ID_WORDS, [
    terms.conditionId,
    BigInt(terms.yesTokenId),
    shape,
    BigInt(terms.expiry),
    BigInt(kind),
  ])
  return BigInt(keccak256(encoded)).toString()
}

/** Names the fixing of a series: all series of one market and expiry have one price. */
export const fixingKey = ({
  conditionId,
  yesTokenId,
  expiry,
}: Pick<SeriesTerms, 'conditionId' | 'yesTokenId' | 'expiry'>): string => `${conditionId} ${yesTokenId} ${expiry}`

/** The ids of the series that a package is made of; none of a single call or put. */
export function legIdsOf(terms: SeriesTerms): SeriesId[] {
  if (!isPackage(terms)) return []
  const { conditionId, yesTokenId, expiry, legs } = terms
  return legs.map((leg) => seriesIdOf({ conditionId, yesTokenId, expiry, ...optionOf(leg) }))
}

/** A uint256 in decimal or 0x-hex text as canonical decimal text, or null when it is neither. */
export function parseUint256(text: string): string | null {
  if (!/^(?:\d{1,100}|0[xX][0-9a-fA-F]{1,64})$/.test(text)) return null
  const value = BigInt(text)
  return value < UINT256_END ? value.toString() : null
}

/** Filter of series; an absent field does not filter, except `packages`. */
export type SeriesFilter = {
  conditionId?: Hex
  optionType?: OptionType
  /** Settled series only, or unsettled ones only. */
  settled?: boolean
  /** Packages as well; absent: only single calls and puts. */
  packages?: boolean
}

/** A market with what can be traded in it. */
export type MarketSummary = {
  /** A name for people. */
  name: string
  /** The condition that the market resolves by. */
  conditionId: Hex
  /** Decimal text. */
  yesTokenId: string
  /** Includes settled ones; packages do not count. */
  seriesCount: number
  /** Hundredths of a percent of $1. */
  strikes: readonly number[]
  /** Unix seconds. */
  expiries: readonly number[]
  /** Calls, puts or both. */
  optionTypes: readonly OptionType[]
  /** The newest price of the YES token in dollars; null when the relay knows none. */
  yesPrice: number | null
}
