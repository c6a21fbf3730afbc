import { LruMap } from 'toad-cache'
import { type SeriesId, type SeriesTerms, seriesIdOf } from '../domain/series.ts'

/** Series that are remembered: half a megabyte of them, more than any relay trades at a time. */
const KNOWN_SERIES = 1_000

/**
 * The id of a series, remembered. Takers ask for few series again and again, and to hash one takes 25 µs: with ten makers a
 * twentieth of all that a request costs until its last quote is shown.
 */
export function createSeriesIds(): (terms: SeriesTerms) => SeriesId {
  const known = new LruMap<SeriesId>(KNOWN_SERIES)
  return (terms) => {
    const { conditionId, yesTokenId, strikeBps, expiry, optionType } = terms
    const name = `${conditionId} ${yesTokenId} ${strikeBps} ${expiry} ${optionType}`
    const seriesId = known.get(name)
    if (seriesId !== undefined) return seriesId
    const fresh = seriesIdOf(terms)
    known.set(name, fresh)
    return fresh
  }
}
