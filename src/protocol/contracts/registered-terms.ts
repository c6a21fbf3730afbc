import { unpackLegs } from '../domain/option.ts'
import type { SeriesId, SeriesTerms } from '../domain/series.ts'
import type { Hex, StrikeBps } from '../domain/units.ts'

/** Arguments that all events registering a series have. */
type Registered = { seriesId: bigint; conditionId: Hex; yesClobTokenId: bigint; expiry: bigint }

/** One of the events by which the core registers a series. */
export type Registration =
  | { eventName: 'SeriesCreated'; args: Registered & { strikeBps: number; optionType: number } }
  | { eventName: 'PackageCreated'; args: Registered & { legs: bigint } }

/** The series that an event of the core has registered. Refuses legs that are not in their normal form with `invalid_package`. */
export function registeredTerms({ eventName, args }: Registration): SeriesTerms & { seriesId: SeriesId } {
  return {
    seriesId: args.seriesId.toString(),
    conditionId: args.conditionId,
    yesTokenId: args.yesClobTokenId.toString(),
    ...(eventName === 'PackageCreated'
      ? unpackLegs(args.legs)
      : { strikeBps: args.strikeBps as StrikeBps, optionType: args.optionType === 0 ? 'call' : 'put' }),
    expiry: Number(args.expiry),
  }
}
