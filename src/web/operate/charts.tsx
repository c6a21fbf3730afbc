import { clockTime, priceText } from '@rfqctl/lib/format'
import type { Usd6 } from '@rfqctl/protocol/domain/units'
import type { ReactNode } from 'react'
import {
  latencyClasses,
  latencySentence,
  NO_PRICES,
  NO_WAITS,
  type PriceHistory,
  priceRange,
  priceSentence,
} from '../dashboard/charts.ts'
import { waitsTitle } from '../dashboard/views/confirmations.ts'
import { Bar } from '../parts/Countdown.tsx'
import { dotPath, linePath, stepPath } from '../parts/charts/scale.ts'
import { inPlace } from '../parts/in-place.ts'
import { barHeights, linePlaces, pricePlaces } from './geometry.ts'

export function RateChart({ rate, label }: { rate: readonly number[]; label: string }): ReactNode {
  const step = 100 / Math.max(1, rate.length)
  return (
    <svg className="ops-rate" viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label={label}>
      {inPlace(barHeights(rate), (height, place) => (
        <rect x={place * step} y={100 - height} width={step * 0.7} height={height} />
      ))}
    </svg>
  )
}

/** The words are beside it. */
export function LineChart({ values }: { values: readonly number[] }): ReactNode {
  if (values.length === 0) return null
  return (
    <svg className="ops-spark" viewBox="0 -5 100 110" preserveAspectRatio="none" aria-hidden="true">
      <path className="ops-path" d={linePath(linePlaces(values))} />
    </svg>
  )
}

export function PriceChart({ history }: { history: PriceHistory }): ReactNode {
  const places = pricePlaces(history)
  const range = priceRange(history)
  if (places === null || range === null) return <p className="faint small">{NO_PRICES}</p>
  const label = (value: number) => priceText(BigInt(value) as Usd6)
  return (
    <figure className="ops-prices">
      <div className="ops-prices-axis faint" aria-hidden="true">
        <span>{label(range.high)}</span>
        {range.low !== range.high && <span>{label(range.low)}</span>}
      </div>
      <svg viewBox="0 -8 100 116" preserveAspectRatio="none" role="img" aria-label={priceSentence(history)}>
        <path className="ops-path" d={stepPath(places.bests, 100) + stepPath(places.bids, 100)} />
        <path className="ops-dots" d={places.dots.map(dotPath).join('')} />
      </svg>
      <figcaption className="ops-prices-times faint">
        <span>{clockTime(history.from)}</span>
        <span>{clockTime(history.to)}</span>
      </figcaption>
    </figure>
  )
}

export function LatencyHistogram({ waits }: { waits: readonly number[] }): ReactNode {
  const classes = latencyClasses(waits)
  const most = Math.max(1, ...classes.map(({ count }) => count))
  return (
    <section className="stack-tight" aria-label={waitsTitle(waits)}>
      <h2 className="small muted">{waitsTitle(waits)}</h2>
      {waits.length === 0 ? (
        <p className="faint small">{NO_WAITS}</p>
      ) : (
        <ul className="ops-histogram" aria-label={latencySentence(classes)}>
          {classes.map(({ label, count }) => (
            <li key={label}>
              <span className="muted">{label}</span>
              <Bar part={count / most} />
              <span className="figure">{count === 0 ? '' : count}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
