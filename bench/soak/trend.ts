/** A straight line through points, and between which slopes it lies in 95 of 100 cases. */
export type Trend = { slope: number; low: number; high: number }

type Point = readonly [x: number, y: number]

/** Standard deviations of 95 %. */
const Z = 1.96

/**
 * The trend of points by Theil and Sen: the median of the slopes between all pairs, which up to 29 % of wild points cannot
 * move far, with the interval by Kendall's statistic. Null for fewer than three points.
 * @see https://doi.org/10.1080/01621459.1968.10480934 Sen, 1968
 */
export function trendOf(points: readonly Point[]): Trend | null {
  const count = points.length
  if (count < 3) return null
  const slopes = points
    .flatMap(([x, y], i) => points.slice(i + 1).map(([laterX, laterY]) => (laterY - y) / (laterX - x)))
    .sort((a, b) => a - b)
  const reach = (Z * Math.sqrt((count * (count - 1) * (2 * count + 5)) / 18)) / 2
  const at = (place: number) => slopes[Math.min(slopes.length - 1, Math.max(0, Math.round(place)))] as number
  const middle = (slopes.length - 1) / 2
  return {
    slope: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    low: at(middle - reach),
    high: at(middle + reach),
  }
}
