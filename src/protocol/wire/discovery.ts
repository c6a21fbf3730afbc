import type { Static } from 'typebox'
import * as Type from 'typebox'
import { isPackage } from '../domain/option.ts'
import type { ListedSeries, MarketSummary, SeriesFilter } from '../domain/series.ts'
import type { ResolutionBps } from '../domain/units.ts'
import * as field from './field.ts'
import { decodeBytes32 } from './fields.ts'
import { Breakpoints, decodeOption, encodeBreakpoints, encodePackage, PackageTerms } from './option.ts'
import { createReader } from './reader.ts'
import { Count, described, nullable, OptionTypeText, oneOf, Strike, successOf, Text, UnixSeconds } from './schemas.ts'

export const SeriesFields = Type.Object({
  seriesId: field.seriesId,
  conditionId: field.conditionId,
  yesClobTokenId: field.yesTokenId,
  strikeBps: field.strikeBps,
  expiry: field.expiry,
  optionType: field.optionType,
  settled: field.settled,
  resolutionBps: nullable(field.resolutionBps),
  finalAt: Type.Optional(field.finalAt),
  vetoed: Type.Optional(field.vetoed),
})

/** A package: a series that pays what its legs are worth together, less its floor (protocol series-5). */
export const PackageFields = Type.Object({
  seriesId: field.seriesId,
  conditionId: field.conditionId,
  yesClobTokenId: field.yesTokenId,
  expiry: field.expiry,
  ...PackageTerms,
  breakpoints: described(
    Breakpoints,
    'What one pays at the resolutions where that bends; a straight line in between.',
    [
      { resolutionBps: 0, payoff: 0 },
      { resolutionBps: 40, payoff: 0 },
      { resolutionBps: 60, payoff: 0.2 },
      { resolutionBps: 100, payoff: 0.2 },
    ],
  ),
  settled: field.settled,
  resolutionBps: nullable(field.resolutionBps),
  finalAt: Type.Optional(field.finalAt),
  vetoed: Type.Optional(field.vetoed),
})

export const AnySeries = described(Type.Union([SeriesFields, PackageFields]), 'The option series.')

export const MarketFields = Type.Object({
  name: described(
    Text,
    "The market's question, or its shortened conditionId when the question is unknown.",
    'Will it rain on Sunday?',
  ),
  conditionId: field.conditionId,
  yesClobTokenId: field.yesTokenId,
  seriesCount: described(Count, 'Number of series.', 2),
  strikes: described(Type.Array(Strike), 'Available strikes in basis points of $1.', [4_500]),
  expiries: described(Type.Array(UnixSeconds), 'Available expiries in Unix seconds.', [1_800_000_000]),
  optionTypes: described(Type.Array(OptionTypeText), 'Available option types.', ['call', 'put']),
  yesPrice: Type.Optional(nullable(field.yesPrice)),
})

/** Which series are asked for; unknown parameters are ignored. */
export const SeriesQuery = Type.Object({
  conditionId: Type.Optional(field.conditionId),
  optionType: Type.Optional(field.optionType),
  settled: Type.Optional(described(oneOf('true', 'false'), field.settled)),
  packages: Type.Optional(field.packages),
})

export const MarketsAnswer = successOf({
  count: field.count,
  markets: described(Type.Array(MarketFields), 'All markets that have series.'),
})

export const SeriesListAnswer = successOf({
  count: field.count,
  series: described(Type.Array(AnySeries), AnySeries),
})

export const SeriesAnswer = successOf({ series: AnySeries })

const readQuery = createReader(SeriesQuery, 'the query')
const readMarkets = createReader(MarketsAnswer, 'the answer')
const readSeriesList = createReader(SeriesListAnswer, 'the answer')
const readSeries = createReader(SeriesAnswer, 'the answer')

export function decodeSeriesFilter(query: unknown): SeriesFilter {
  const { conditionId, optionType, settled, packages } = readQuery(query)
  return {
    ...(conditionId === undefined ? {} : { conditionId: decodeBytes32(conditionId) }),
    ...(optionType === undefined ? {} : { optionType }),
    ...(settled === undefined ? {} : { settled: settled === 'true' }),
    ...(packages === 'true' ? { packages: true } : {}),
  }
}

export function encodeMarkets(markets: readonly MarketSummary[]): Static<typeof MarketsAnswer> {
  return { success: true, count: markets.length, markets: markets.map(encodeMarket) }
}

export function encodeSeriesList(series: readonly ListedSeries[]): Static<typeof SeriesListAnswer> {
  return { success: true, count: series.length, series: series.map(encodeSeriesFields) }
}

export const encodeSeries = (series: ListedSeries): Static<typeof SeriesAnswer> => ({
  success: true,
  series: encodeSeriesFields(series),
})

export const decodeMarkets = (answer: unknown): MarketSummary[] => readMarkets(answer).markets.map(decodeMarket)

export const decodeSeriesList = (answer: unknown): ListedSeries[] =>
  readSeriesList(answer).series.map(decodeSeriesFields)

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
