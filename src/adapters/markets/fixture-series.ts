import type { SeriesTerms } from '../../domain/series.ts'
import type { FixtureMarket } from './fixture-markets.ts'

const MINUTE_S = 60

/** The series to register for fixture markets on a chain whose time is `start`, expiries rounded up to whole minutes. */
export function fixtureSeries(markets: readonly FixtureMarket[], start: number): SeriesTerms[] {
  return markets.flatMap(({ conditionId, yesTokenId, series }) =>
    series.flatMap(({ strikesBps, expiresInS, optionTypes }) =>
      expiresInS.flatMap((seconds) => {
        const expiry = Math.ceil((start + seconds) / MINUTE_S) * MINUTE_S
        return strikesBps.flatMap((strikeBps) =>
          optionTypes.map((optionType) => ({ conditionId, yesTokenId, strikeBps, expiry, optionType })),
        )
      }),
    ),
  )
}
