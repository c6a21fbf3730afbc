import type { ResolutionMeta } from './resolution.ts'
import type { SeriesId } from './series.ts'
import type { PricePoint, TwapWindow } from './twap.ts'
import type { ResolutionBps } from './units.ts'

/** The prices that settle a series, or will: those of the half-hour before its expiry. */
export type WindowPrices = TwapWindow & {
  /** The series. */
  seriesId: SeriesId
  /** In the order of time, those that are there already; of more than a thousand so many, evenly, the first and the last among them. */
  points: readonly PricePoint[]
  /** Their average up to now, over all of them, dollars; null while there is none. */
  twap: number | null
  /** What the series is resolved at, hundredths of $1; null while it is not. */
  resolutionBps: ResolutionBps | null
  /** How it was resolved; null while it is not, and where only the chain tells that it was. */
  method: ResolutionMeta['method'] | null
}
