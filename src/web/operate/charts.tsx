import type { ReactNode } from 'react'
import {
  latencyClasses,
  latencySentence,
  NO_PRICES,
  NO_WAITS,
  type PriceHistory,
  priceRange,
  priceSentence,
} from '../../dashboard/charts.ts'
import { clockTime, price } from '../../dashboard/format.ts'
import { waitsTitle } from '../../dashboard/views/confirmations.ts'
import type { Usd6 } from '../../domain/units.ts'
import { Bar } from '../parts/Countdown.tsx'
import { inPlace } from '../parts/in-place.ts'
import { barHeights, linePlaces, pathOf, pricePlaces } from './geometry.ts'

/** Units of a picture, which is stretched to its place: strokes keep their width. */
const WIDTH = 1_000
const HEIGHT = 100

/** How many quotes came in each of the last seconds, the newest on the right. */
export function RateChart({ rate, label }: { rate: readonly number[]; label: string }): ReactNode {
  const step = WIDTH / Math.max(1, rate.length)
  return (
    <svg
      className="ops-rate"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {inPlace(barHeights(rate), (height, place) => (
        <rect x={place * step} y={HEIGHT - height * HEIGHT} width={step * 0.7} height={height * HEIGHT} />
      ))}
    </svg>
  )
}

/** Values as a line; its words stand beside it. */
export function LineChart({ values }: { values: readonly number[] }): ReactNode {
  if (values.length === 0) return null
  return (
    <svg className="ops-spark" viewBox={`0 -5 ${WIDTH} ${HEIGHT + 10}`} preserveAspectRatio="none" aria-hidden="true">
      <path className="ops-path" d={pathOf(linePlaces(values), WIDTH, HEIGHT)} />
    </svg>
  )
}

/** A request's prices over time: every quote a dot, the best price a path; prices on the left, times below. */
export function PriceChart({ history }: { history: PriceHistory }): ReactNode {
  const places = pricePlaces(history)
  const range = priceRange(history)
  if (places === null || range === null) return <p className="faint small">{NO_PRICES}</p>
  const label = (value: number) => price(BigInt(value) as Usd6)
  return (
    <figure className="ops-prices">
      <div className="ops-prices-axis faint" aria-hidden="true">
        <span>{label(range.high)}</span>
        {range.low !== range.high && <span>{label(range.low)}</span>}
      </div>
      <svg
        viewBox={`0 -8 ${WIDTH} ${HEIGHT + 16}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={priceSentence(history)}
      >
        <path className="ops-path" d={pathOf(places.best, WIDTH, HEIGHT)} />
        {/* A path without length is a round dot, however the picture is stretched. */}
        <path className="ops-dots" d={places.dots.map((dot) => `${pathOf([dot], WIDTH, HEIGHT)}h0`).join('')} />
      </svg>
      <figcaption className="ops-prices-times faint">
        <span>{clockTime(history.from)}</span>
        <span>{clockTime(history.to)}</span>
      </figcaption>
    </figure>
  )
}

/** How long makers took to sign: a bar for each class. */
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
