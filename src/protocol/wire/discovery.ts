import Type, { type Static } from 'typebox'
import { isPackage } from '../domain/option.ts'
import type { ListedSeries, MarketSummary, SeriesFilter } from '../domain/series.ts'
import type { ResolutionBps } from '../domain/units.ts'
import { decodeBytes32 } from './fields.ts'
import { Breakpoints, decodeOption, encodeBreakpoints, encodePackage, PackageTerms } from './option.ts'
import { createReader } from './reader.ts'
import {
  Bytes32Text,
  Count,
  Dollars,
  Flag,
  nullable,
  OptionTypeText,
  oneOf,
  ResolutionPrice,
  Strike,
  successOf,
  Text,
  Uint256Text,
  UnixSeconds,
} from './schemas.ts'

/** A series. */
export const SeriesFields = Type.Object({
  seriesId: Uint256Text,
  conditionId: Bytes32Text,
  yesClobTokenId: Uint256Text,
  strikeBps: Strike,
  expiry: UnixSeconds,
  optionType: OptionTypeText,
  settled: Flag,
  resolutionBps: nullable(ResolutionPrice),
  finalAt: Type.Optional(UnixSeconds),
  vetoed: Type.Optional(Flag),
})

/** A package: a series that pays what its legs are worth together, less its floor (protocol series-5). */
export const PackageFields = Type.Object({
  seriesId: Uint256Text,
  conditionId: Bytes32Text,
  yesClobTokenId: Uint256Text,
  expiry: UnixSeconds,
  ...PackageTerms,
  breakpoints: Breakpoints,
  settled: Flag,
  resolutionBps: nullable(ResolutionPrice),
  finalAt: Type.Optional(UnixSeconds),
  vetoed: Type.Optional(Flag),
})

/** A series of either kind. */
export const AnySeries = Type.Union([SeriesFields, PackageFields])

/** A market with the series that it has. */
export const MarketFields = Type.Object({
  name: Text,
  conditionId: Bytes32Text,
  yesClobTokenId: Uint256Text,
  seriesCount: Count,
  strikes: Type.Array(Strike),
  expiries: Type.Array(UnixSeconds),
  optionTypes: Type.Array(OptionTypeText),
  yesPrice: Type.Optional(nullable(Dollars)),
})

/** Which series are asked for; unknown parameters are ignored. */
export const SeriesQuery = Type.Object({
  conditionId: Type.Optional(Bytes32Text),
  optionType: Type.Optional(OptionTypeText),
  settled: Type.Optional(oneOf('true', 'false')),
  packages: Type.Optional(oneOf('true', 'false')),
})

/** All markets. */
export const MarketsAnswer = successOf({ count: Count, markets: Type.Array(MarketFields) })

/** The series that were asked for. */
export const SeriesListAnswer = successOf({ count: Count, series: Type.Array(AnySeries) })

/** One series. */
export const SeriesAnswer = successOf({ series: AnySeries })

const readQuery = createReader(SeriesQuery, 'the query')
const readMarkets = createReader(MarketsAnswer, 'the answer')
const readSeriesList = createReader(SeriesListAnswer, 'the answer')
const readSeries = createReader(SeriesAnswer, 'the answer')

/** The filter of a query. */
export function decodeSeriesFilter(query: unknown): SeriesFilter {
  const { conditionId, optionType, settled, packages } = readQuery(query)
  return {
    ...(conditionId === undefined ? {} : { conditionId: decodeBytes32(conditionId) }),
    ...(optionType === undefined ? {} : { optionType }),
    ...(settled === undefined ? {} : { settled: settled === 'true' }),
    ...(packages === 'true' ? { packages: true } : {}),
  }
}

/** All markets. */
export function encodeMarkets(markets: readonly MarketSummary[]): Static<typeof MarketsAnswer> {
  return { success: true, count: markets.length, markets: markets.map(encodeMarket) }
}

/** All series that were asked for. */
export function encodeSeriesList(series: readonly ListedSeries[]): Static<typeof SeriesListAnswer> {
  return { success: true, count: series.length, series: series.map(encodeSeriesFields) }
}

/** One series. */
export const encodeSeries = (series: ListedSeries): Static<typeof SeriesAnswer> => ({
  success: true,
  series: encodeSeriesFields(series),
})

/** All markets. */
export const decodeMarkets = (answer: unknown): MarketSummary[] => readMarkets(answer).markets.map(decodeMarket)

/** All series that were asked for. */
export const decodeSeriesList = (answer: unknown): ListedSeries[] =>
  readSeriesList(answer).series.map(decodeSeriesFields)

/** One series. */
export const decodeSeries = (answer: unknown): ListedSeries => decodeSeriesFields(readSeries(answer).series)

function encodeMarket({ yesTokenId, strikes, expiries, optionTypes, ...market }: MarketSummary) {
  return {
    name: market.name,
    conditionId: market.conditionId,
    yesClobTokenId: yesTokenId,
    seriesCount: market.seriesCount,
    strikes: [...strikes],
    expiries: [...expiries],
    optionTypes: [...optionTypes],
    yesPrice: market.yesPrice,
  }
}

function decodeMarket({ yesClobTokenId, conditionId, ...market }: Static<typeof MarketFields>): MarketSummary {
  const { yesPrice = null } = market
  return { ...market, conditionId: decodeBytes32(conditionId), yesTokenId: yesClobTokenId, yesPrice }
}

/** A series as the specification shows it; a package with its legs in place of strike and type. */
export function encodeSeriesFields(series: ListedSeries): Static<typeof AnySeries> {
  const { seriesId, conditionId, yesTokenId, expiry, resolutionBps } = series
  const ids = { seriesId, conditionId, yesClobTokenId: yesTokenId }
  const state = { settled: resolutionBps !== null, resolutionBps, ...disputeOf(series) }
  if (isPackage(series)) {
    return { ...ids, expiry, ...encodePackage(series), breakpoints: encodeBreakpoints(series), ...state }
  }
  return { ...ids, strikeBps: series.strikeBps, expiry, optionType: series.optionType, ...state }
}

/** The fields that the dispute window adds to a series that has a price, or had one. */
const disputeOf = ({ finalAt, vetoed }: Pick<ListedSeries, 'finalAt' | 'vetoed'>) => ({
  ...(finalAt === undefined ? {} : { finalAt }),
  ...(vetoed === undefined ? {} : { vetoed }),
})

/** A series whose schema was checked. */
export function decodeSeriesFields(fields: Static<typeof AnySeries>): ListedSeries {
  const { seriesId, conditionId, yesClobTokenId, expiry, resolutionBps } = fields
  return {
    seriesId,
    conditionId: decodeBytes32(conditionId),
    yesTokenId: yesClobTokenId,
    ...decodeOption(fields),
    expiry,
    resolutionBps: resolutionBps as ResolutionBps | null,
    ...disputeOf(fields),
  }
}
