/** The value below which a share of the samples lies, between neighbours by straight line; NaN for none. */
export function quantile(samples, share) {
  const sorted = [...samples].sort((a, b) => a - b)
  const place = (sorted.length - 1) * share
  const below = sorted[Math.floor(place)]
  const above = sorted[Math.ceil(place)]
  if (below === undefined || above === undefined) return Number.NaN
  return below + (above - below) * (place - Math.floor(place))
}

/** The middle of the samples. */
export const median = (samples) => quantile(samples, 0.5)

/** How far samples lie apart: half of the range of their middle half, as a share of the median. */
export const spread = (samples) => (quantile(samples, 0.75) - quantile(samples, 0.25)) / 2 / Math.abs(median(samples))

/** Each sample over its partner of the same moment, so that what slowed both down drops out. */
export const ratios = (samples, partners) =>
  samples.flatMap((sample, i) => {
    const partner = partners[i]
    return partner === undefined ? [] : [sample / partner]
  })
