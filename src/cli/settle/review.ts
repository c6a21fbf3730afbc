import type { ResolutionBps, ReviewDetails, ReviewItem } from '@rfqctl/client/index'
import { duration, plural, resolution, shortId, when } from '@rfqctl/lib/format'
import { safeText, utcText } from '@rfqctl/protocol/domain/safe-text'
import type { Run } from '../cli.ts'
import { publicClient } from '../context/clients.ts'
import { operatorClient } from '../context/operator.ts'
import type { RelayOptions } from '../context/targets.ts'
import { listSeriesRows, type SeriesRow, seriesJson, seriesText } from '../show/series-listing.ts'
import { type Column, factLines, tableLines } from '../terminal/table.ts'

type Row = SeriesRow & Pick<ReviewItem, 'reason' | 'escalatedAt'>

export const listReviews: Run<RelayOptions> = async (cli, options) => {
  const [reviews, { rows, now }] = await Promise.all([
    operatorClient(cli, options).listReviews({ signal: cli.stop }),
    listSeriesRows(cli, options, publicClient(cli, options)),
  ])
  const waiting = reviews.flatMap(({ series, reason, escalatedAt }): Row[] => {
    const row = rows.find(({ seriesId }) => seriesId === series.seriesId)
    return row === undefined ? [] : [{ ...row, reason, escalatedAt }]
  })
  cli.out.print(
    { type: 'reviews', reviews: waiting.map(rowJson) },
    waiting.length === 0 ? 'no series waits for review' : tableLines(columnsAt(now), waiting, cli.out),
  )
  if (waiting.length > 0) cli.out.note('Next: rfqctl settle review show SERIES')
}

const rowJson = ({ reason, escalatedAt, ...row }: Row) => ({
  ...seriesJson(row),
  reason,
  escalatedAt: new Date(escalatedAt).toISOString(),
})

const columnsAt = (now: number): Column<Row>[] => [
  { heading: 'SERIES', cell: ({ name }) => name },
  { heading: 'EXPIRED', cell: ({ expiry }) => `${duration(Math.max(0, now - expiry * 1_000))} ago` },
  { heading: 'REASON', cell: ({ reason }) => reasonText(reason) },
  { heading: 'QUESTION', cell: ({ market }) => market },
]

export const showReview: Run<RelayOptions, [series: string]> = async (cli, options, text) => {
  const { find, now } = await listSeriesRows(cli, options, publicClient(cli, options))
  const row = find(text)
  const details = await operatorClient(cli, options).getReview({ seriesId: row.seriesId, signal: cli.stop })
  cli.out.print(reviewJson(row, details), factLines(reviewFacts(row, details, now), cli.out.colors))
}

type Point = ReviewDetails['points'][number]

export const showPoints: Run<RelayOptions, [series: string]> = async (cli, options, text) => {
  const { find, now } = await listSeriesRows(cli, options, publicClient(cli, options))
  const row = find(text)
  const details = await operatorClient(cli, options).getReview({ seriesId: row.seriesId, signal: cli.stop })
  const { points } = details
  const table = points.length === 0 ? [] : [...tableLines(POINT_COLUMNS, points, cli.out), '']
  const facts = reviewFacts(row, details, now).filter(([name]) => name === 'average' || name === 'window')
  cli.out.print({ ...reviewJson(row, details), type: 'points' }, [...table, ...factLines(facts, cli.out.colors)])
}

const POINT_COLUMNS: Column<Point>[] = [
  { heading: 'TIME', cell: ({ t }) => utcText(t * 1_000) },
  { heading: 'PRICE', cell: ({ p }) => p.toFixed(4), align: 'right' },
  { heading: 'ORIGIN', cell: ({ origin }) => origin },
]

type ResolveOptions = RelayOptions & { price: ResolutionBps; by: string; reason: string }

/** A person's decision, final. */
export const resolveReview: Run<ResolveOptions, [series: string]> = async (cli, options, text) => {
  const { price, by, reason } = options
  const { find } = await listSeriesRows(cli, options, publicClient(cli, options))
  const { seriesId } = find(text)
  const client = operatorClient(cli, options)
  const resolved = await client.resolveReview({ seriesId, resolutionBps: price, by, reason, signal: cli.stop })
  const { resolutionBps, method, resolvedAt } = resolved
  cli.out.print(
    { type: 'resolved', seriesId, resolutionBps, method, by, reason, resolvedAt: new Date(resolvedAt).toISOString() },
    `${cli.out.colors.green('resolved')} ${shortId(seriesId)} at ${resolution(resolutionBps)}, by ${safeText(by)}: ${safeText(reason)}`,
  )
  cli.out.note(`Next: rfqctl settle submit ${shortId(seriesId, 'column')}`)
}

/** An unknown reason is shown as it is. */
const reasonText = (reason: string): string => REASONS[reason] ?? safeText(reason)

const REASONS: Readonly<Record<string, string>> = {
  no_price_data: 'no price in the window',
  too_few_points: 'too few prices in the window',
  gap_too_long: 'too long without a price',
}

const reviewJson = (row: SeriesRow, { series: _, review, resolution, ...details }: ReviewDetails) => ({
  type: 'review',
  series: seriesJson(row),
  review: review === null ? null : { reason: review.reason, escalatedAt: isoTime(review.escalatedAt) },
  resolution:
    resolution === null
      ? null
      : {
          resolutionBps: resolution.resolutionBps,
          method: resolution.method,
          resolvedAt: isoTime(resolution.resolvedAt),
          by: resolution.decision?.by ?? null,
          reason: resolution.decision?.reason ?? null,
        },
  ...details,
})

/** `now` is in Unix milliseconds. */
function reviewFacts(row: SeriesRow, details: ReviewDetails, now: number): [name: string, value: string][] {
  const { review, windowStart, windowEnd, twap, maxGapS, pointCount, sourceAvailable } = details
  const average = twap === null ? 'no price' : `${twap.toFixed(4)} over ${plural(pointCount, 'point')}`
  const gap = maxGapS === null ? '' : `, at most ${duration(maxGapS * 1_000)} without one`
  return [
    ['series', seriesText(row)],
    ['window', `${utcText(windowStart * 1_000)} to ${utcText(windowEnd * 1_000)} (${when(windowEnd * 1_000, now)})`],
    ['average', `${average}${gap}${sourceAvailable ? '' : '; the source does not answer'}`],
    ['review', review === null ? 'none' : `${reasonText(review.reason)}, since ${utcText(review.escalatedAt)}`],
    ['resolution', resolutionText(details)],
    ['seriesId', row.seriesId],
  ]
}

function resolutionText({ resolution: resolved }: ReviewDetails): string {
  if (resolved === null) return 'none yet'
  const { resolutionBps, method, decision } = resolved
  const how = decision === null ? method : `by ${safeText(decision.by)}: ${safeText(decision.reason)}`
  return `${resolution(resolutionBps)} (${how})`
}

const isoTime = (ms: number): string => new Date(ms).toISOString()
