import type { Static } from 'typebox'
import * as Type from 'typebox'
import { usd6ToNumber } from '../domain/decimal.ts'
import { isPackage } from '../domain/option.ts'
import type { MarketSurface, SeriesMark } from '../domain/surface.ts'
import type { Hex } from '../domain/units.ts'
import * as field from './field.ts'
import { decodeAmount, decodeBytes32, decodeTime, decodeUsd6, encodeAmount, encodeTime } from './fields.ts'
import { decodeOption, encodePackage, PackageTerms } from './option.ts'
import { createReader } from './reader.ts'
import { Count, Dollars, described, Figure, IsoTime, nullable, successOf } from './schemas.ts'

/** `GET /v1/surface`, query. */
export const SurfaceQuery = Type.Object({ conditionId: field.conditionId })

const Volatility = described(Figure, 'Volatility of the YES price per square root of a year; 1 is 100 %.', 1.5)

const common = {
  seriesId: field.seriesId,
  yesClobTokenId: field.yesTokenId,
  expiry: field.expiry,
  yesPrice: nullable(field.yesPrice),
  mark: nullable(field.mark),
  intrinsic: nullable(field.intrinsic),
  volatility: nullable(Volatility),
  observed: nullable(
    described(
      Type.Object({
        volatility: Volatility,
        makers: described(Count, 'Makers whose levels were seen.', 3),
        trades: described(Count, 'Filled trades that were seen.', 2),
        at: described(IsoTime, 'Time of the newest of them.', '2027-01-15T07:00:02.250Z'),
      }),
      'What levels and trades of this very series show, before it is smoothed; null: nothing.',
    ),
  ),
  indicative: nullable(
    described(
      Type.Object({
        bid: described(Dollars, 'The highest bid, in dollars.', 0.11),
        ask: described(Dollars, 'The lowest ask, in dollars.', 0.13),
        makers: described(Count, 'Makers that have a level.', 3),
      }),
      'Indicative levels of makers, which bind no one; null: there are none.',
    ),
  ),
}

const MarkFields = Type.Object({ ...common, strikeBps: field.strikeBps, optionType: field.optionType })
const PackageMarkFields = Type.Object({ ...common, ...PackageTerms })
const AnyMark = Type.Union([MarkFields, PackageMarkFields])

export const SurfaceAnswer = successOf({
  conditionId: field.conditionId,
  at: described(IsoTime, 'Time of the surface.', '2027-01-15T07:00:02.250Z'),
  series: described(Type.Array(AnyMark), 'The open series of the market.'),
})

const readQuery = createReader(SurfaceQuery, 'the query')
const readAnswer = createReader(SurfaceAnswer, 'the answer')

export const decodeSurfaceQuery = (query: unknown): Hex => decodeBytes32(readQuery(query).conditionId)

export const encodeSurface = ({ conditionId, at, series }: MarketSurface): Static<typeof SurfaceAnswer> => ({
  success: true,
  conditionId,
  at: encodeTime(at),
  series: series.map(encodeMark),
})

function encodeMark(one: SeriesMark): Static<typeof AnyMark> {
  const { seriesId, yesTokenId, expiry, yesPrice, mark, intrinsic, volatility, observed, indicative } = one
  const fields = {
    seriesId,
    yesClobTokenId: yesTokenId,
    expiry,
    yesPrice,
    mark: encodeAmount(mark),
    intrinsic: encodeAmount(intrinsic),
    volatility,
    observed: observed === null ? null : { ...observed, at: encodeTime(observed.at) },
    indicative:
      indicative === null
        ? null
        : { ...indicative, bid: usd6ToNumber(indicative.bid), ask: usd6ToNumber(indicative.ask) },
  }
  if (isPackage(one)) return { ...fields, ...encodePackage(one) }
  return { ...fields, strikeBps: one.strikeBps, optionType: one.optionType }
}

export function decodeSurface(answer: unknown): MarketSurface {
  const { conditionId, at, series } = readAnswer(answer)
  const market = decodeBytes32(conditionId)
  return {
    conditionId: market,
    at: decodeTime(at, 'at'),
    series: series.map((fields) => {
      const { seriesId, yesClobTokenId, expiry, yesPrice, mark, intrinsic, volatility, observed, indicative } = fields
      return {
        ...{ seriesId, conditionId: market, yesTokenId: yesClobTokenId, expiry, ...decodeOption(fields) },
        yesPrice,
        mark: decodeAmount(mark, 'mark'),
        intrinsic: decodeAmount(intrinsic, 'intrinsic'),
        volatility,
        observed: observed === null ? null : { ...observed, at: decodeTime(observed.at, 'at') },
        indicative:
          indicative === null
            ? null
            : {
                bid: decodeUsd6(indicative.bid, 'half-up', 'bid'),
                ask: decodeUsd6(indicative.ask, 'half-up', 'ask'),
                makers: indicative.makers,
              },
      }
    }),
  }
}
