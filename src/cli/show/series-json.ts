import type { SeriesRow } from './series-listing.ts'

/** A series for programs, in the specification's words, with its market and state. */
export const seriesJson = ({ yesTokenId, resolutionBps, ...series }: SeriesRow) => ({
  ...series,
  yesClobTokenId: yesTokenId,
  settled: resolutionBps !== null,
  resolutionBps,
})
