import type { PreparedSettlement } from '../../client/index.ts'
import { payoff } from '../../domain/option.ts'
import type { SeriesRow } from '../show/series-listing.ts'
import { plural, resolution, usd } from '../terminal/format.ts'

/** A signed resolution for programs. */
export const preparedJson = ({ attestation, signature, meta, domain }: PreparedSettlement) => ({
  type: 'attestation',
  ...attestation,
  signature,
  meta,
  domain,
})

/** A signed resolution for people: the price, how it came about, and what it pays. */
export function preparedWords(series: SeriesRow, { attestation, meta }: PreparedSettlement): string {
  const { optionType, strikeBps, name } = series
  const source =
    meta.method === 'twap' ? `TWAP ${meta.twap.toFixed(4)} of ${plural(meta.pointCount, 'point')}` : meta.method
  const pays = usd(payoff(optionType, strikeBps, attestation.resolutionBps))
  return `${name}  resolved at ${resolution(attestation.resolutionBps)} (${source}): ${optionType} pays ${pays} each`
}
