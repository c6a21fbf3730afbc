import type { ReactNode } from 'react'
import { Plot } from './Plot.tsx'
import { type RaceQuote, type RaceShape, raceShape } from './race.ts'
import { dotPath, ticksOf } from './scale.ts'

type RaceChartProps = {
  quotes: readonly RaceQuote[]
  /** Quotes on the other side, where both are asked for. */
  bids?: readonly RaceQuote[]
  /** Unix milliseconds of the relay's clock. */
  openedAt: number
  now: number
  label: string
}

export function RaceChart({ quotes, bids = [], openedAt, now, label }: RaceChartProps): ReactNode {
  const shape = raceShape(quotes, { openedAt, now, bids })
  return (
    <Plot label={label} xLabels={timeLabels(shape, openedAt)} yLabels={quotes.length === 0 ? [] : priceLabels(shape)}>
      {quotes.length > 0 &&
        priceLabels(shape).map(({ at }) => <path key={at} className="line-grid" d={`M0 ${at}H100`} />)}
      <Run run={shape} />
      {bids.length > 0 && <Run run={shape.bids} />}
    </Plot>
  )
}

function Run({ run: { best, dots, leader } }: { run: RaceShape['bids'] }): ReactNode {
  return (
    <>
      <path className="line-main" d={best} />
      {dots.map(({ quoteId, isFirm, place }) => (
        <g key={`${quoteId} ${place.x} ${place.y}`}>
          <path className="dot-quote" d={dotPath(place)} />
          {!isFirm && <path className="dot-hollow" d={dotPath(place)} />}
        </g>
      ))}
      {leader !== null && <path className="dot-main" d={dotPath(leader)} />}
    </>
  )
}

const timeLabels = ({ seconds, xOf }: RaceShape, openedAt: number) =>
  ticksOf(seconds, 5).map((second) => ({ at: xOf(openedAt + second * 1_000), text: `${second}s` }))

const priceLabels = ({ dollars, yOf }: RaceShape) =>
  ticksOf(dollars, 3).map((price) => ({ at: yOf(price), text: `$${price.toFixed(4)}` }))
