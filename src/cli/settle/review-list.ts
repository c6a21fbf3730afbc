import type { ReviewItem } from '../../client/index.ts'
import type { Run } from '../cli.ts'
import { publicClient } from '../context/clients.ts'
import { operatorClient } from '../context/operator.ts'
import type { RelayOptions } from '../context/targets.ts'
import { listSeriesRows, type SeriesRow, seriesJson } from '../show/series-listing.ts'
import { duration } from '../terminal/format.ts'
import { type Column, tableLines } from '../terminal/table.ts'
import { reasonWords } from './show-review.ts'

type Row = SeriesRow & Pick<ReviewItem, 'reason' | 'escalatedAt'>

/** Lists the series that wait for a person. */
export const run: Run<RelayOptions> = async (cli, options) => {
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
  { heading: 'REASON', cell: ({ reason }) => reasonWords(reason) },
  { heading: 'QUESTION', cell: ({ market }) => market },
]
