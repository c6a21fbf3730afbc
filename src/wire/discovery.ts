import Type, { type Static } from 'typebox'
import type { ListedSeries, MarketSummary, SeriesFilter } from '../domain/series.ts'
import type { ResolutionBps, StrikeBps } from '../domain/units.ts'
import { decodeBytes32 } from './fields.ts'
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
})

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
})

/** All markets. */
export const MarketsAnswer = successOf({ count: Count, markets: Type.Array(MarketFields) })

/** The series that were asked for. */
export const SeriesListAnswer = successOf({ count: Count, series: Type.Array(SeriesFields) })

/** One series. */
export const SeriesAnswer = successOf({ series: SeriesFields })

const readQuery = createReader(SeriesQuery, 'the query')
const readMarkets = createReader(MarketsAnswer, 'the answer')
const readSeriesList = createReader(SeriesListAnswer, 'the answer')
const readSeries = createReader(SeriesAnswer, 'the answer')

/** The filter of a query. */
export function decodeSeriesFilter(query: unknown): SeriesFilter {
  const { conditionId, optionType, settled } = readQuery(query)
  return {
    ...(conditionId === undefined ? {} : { conditionId: decodeBytes32(conditionId) }),
    ...(optionType === undefined ? {} : { optionType }),
    ...(settled === undefined ? {} : { settled: settled === 'true' }),
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

/** A series as the specification shows it. */
export function encodeSeriesFields(series: ListedSeries): Static<typeof SeriesFields> {
  const { seriesId, conditionId, yesTokenId, strikeBps, expiry, optionType, resolutionBps } = series
  const settled = resolutionBps !== null
  return { seriesId, conditionId, yesClobTokenId: yesTokenId, strikeBps, expiry, optionType, settled, resolutionBps }
}

/** A series whose schema was checked. */
export function decodeSeriesFields(fields: Static<typeof SeriesFields>): ListedSeries {
  const { seriesId, conditionId, yesClobTokenId, strikeBps, expiry, optionType, resolutionBps } = fields
  return {
    seriesId,
    conditionId: decodeBytes32(conditionId),
    yesTokenId: yesClobTokenId,
    strikeBps: strikeBps as StrikeBps,
    expiry,
    optionType,
    resolutionBps: resolutionBps as ResolutionBps | null,
  }
}
