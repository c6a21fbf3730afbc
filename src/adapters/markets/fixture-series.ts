import type { SeriesTerms } from '../../domain/series.ts'
import type { FixtureMarket } from './fixture-markets.ts'

/**
 * The series of fixture markets that are to be listed at `now`, Unix seconds. Expiries lie on a grid of half their length,
 * between half of it and all of it ahead: a sandbox that starts again some minutes later lists the same series, and one
 * that runs on lists the next ones in time.
 */
export function fixtureSeries(markets: readonly FixtureMarket[], now: number): SeriesTerms[] {
  return markets.flatMap(({ conditionId, yesTokenId, series }) =>
    series.flatMap(({ strikesBps, expiresInS, optionTypes }) =>
      expiresInS.flatMap((seconds) => {
        const expiry = expiryAt(now, seconds)
        return strikesBps.flatMap((strikeBps) =>
          optionTypes.map((optionType) => ({ conditionId, yesTokenId, strikeBps, expiry, optionType })),
        )
      }),
    ),
  )
}

/** The last multiple of half of `seconds` that is at most `seconds` ahead. */
function expiryAt(now: number, seconds: number): number {
  const step = seconds / 2
  return Math.floor((now + seconds) / step) * step
}
