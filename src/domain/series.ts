import { encodeAbiParameters, keccak256 } from 'viem/utils'
import type { OptionType } from './option.ts'
import type { Hex, ResolutionBps, StrikeBps } from './units.ts'

/** A uint256 as canonical decimal text; also the ERC-1155 token id of the long position. */
export type SeriesId = string

/** What defines an option series. */
export type SeriesTerms = {
  /** The condition that the market resolves by, in lower case. */
  conditionId: Hex
  /** The id of the market's YES token, canonical decimal text. */
  yesTokenId: string
  /** The strike, in hundredths of a percent of $1. */
  strikeBps: StrikeBps
  /** When the options expire, Unix seconds. */
  expiry: number
  /** Calls or puts. */
  optionType: OptionType
}

/** A registered series as the chain knows it. */
export type Series = SeriesTerms & {
  /** The hash of its terms. */
  seriesId: SeriesId
  /** Whether no new options of it are written. */
  halted: boolean
  /** The price it settled at, in hundredths of $1; null while it is unsettled. */
  resolutionBps: ResolutionBps | null
}

const UINT256_END = 1n << 256n

/** What the id of a series is the hash of, in this order. */
export const SERIES_ABI = [
  { name: 'conditionId', type: 'bytes32' },
  { name: 'yesTokenId', type: 'uint256' },
  { name: 'strikeBps', type: 'uint16' },
  { name: 'expiry', type: 'uint64' },
  { name: 'optionType', type: 'uint8' },
] as const

/** The option type's number on chain: call 0, put 1 (decision U6). */
export const optionTypeNumber = (optionType: OptionType): 0 | 1 => (optionType === 'call' ? 0 : 1)

/**
 * The id of a series: keccak256 over its ABI-encoded terms (decision U6).
 * @param terms - What defines the series.
 * @returns A uint256 as decimal text.
 * @example
 * ```ts
 * import { computeSeriesId } from 'rfqctl/client'
 *
 * const series = await taker.getSeries({ seriesId })
 * computeSeriesId(series) === series.seriesId
 * ```
 */
export function seriesIdOf(terms: SeriesTerms): SeriesId {
  const encoded = encodeAbiParameters(SERIES_ABI, [
    terms.conditionId,
    BigInt(terms.yesTokenId),
    terms.strikeBps,
    BigInt(terms.expiry),
    optionTypeNumber(terms.optionType),
  ])
  return BigInt(keccak256(encoded)).toString()
}

/** A uint256 in decimal or 0x-hex text as canonical decimal text, or null when it is neither. */
export function parseUint256(text: string): string | null {
  if (!/^(?:\d{1,100}|0[xX][0-9a-fA-F]{1,64})$/.test(text)) return null
  const value = BigInt(text)
  return value < UINT256_END ? value.toString() : null
}

/** A series as discovery shows it: whether it is halted is not said. */
export type ListedSeries = Omit<Series, 'halted'>

/** Which series are asked for; what is absent does not matter. */
export type SeriesFilter = {
  /** Those of one market. */
  conditionId?: Hex
  /** Calls or puts only. */
  optionType?: OptionType
  /** Settled ones only, or those that are not. */
  settled?: boolean
}

/** A market with what can be traded in it. */
export type MarketSummary = {
  /** A name for people. */
  name: string
  /** The condition that the market resolves by. */
  conditionId: Hex
  /** The id of its YES token, decimal text. */
  yesTokenId: string
  /** How many series it has. */
  seriesCount: number
  /** Their strikes, in hundredths of a percent of $1. */
  strikes: readonly number[]
  /** Their expiries, Unix seconds. */
  expiries: readonly number[]
  /** Calls, puts or both. */
  optionTypes: readonly OptionType[]
  /** The newest price of the YES token in dollars; null when the relay knows none. */
  yesPrice: number | null
}
