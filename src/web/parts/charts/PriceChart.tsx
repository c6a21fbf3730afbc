import { strike } from '@rfqctl/lib/format'
import type { ReactNode } from 'react'
import { Plot } from './Plot.tsx'
import { dotPath, ticksOf } from './scale.ts'
import { type PriceAt, windowShape } from './window.ts'

type PriceChartProps = {
  /** Ascending by time, the present price last. */
  points: readonly PriceAt[]
  /** Ends of the drawn time, Unix seconds, with the present between them. */
  from: number
  now: number
  until: number
  /** Dollars. */
  strikes: readonly { price: number; text: string }[]
  /** Unix seconds. */
  expiries: readonly { expiry: number; isChosen: boolean }[]
  /** The time that is drawn on the left, as `6h ago`, and its half. */
  past: readonly [start: string, half: string]
  label: string
}

/** A strike farther from all prices than this would press them flat, dollars. */
const NEAR = 0.1

export function PriceChart({ points, from, now, until, strikes, expiries, past, label }: PriceChartProps): ReactNode {
  const prices = points.map(({ price }) => price)
  const [least, most] = [Math.min(...prices), Math.max(...prices)]
  const levels = strikes.map(({ price }) => price).filter((price) => price > least - NEAR && price < most + NEAR)
  const shape = windowShape({ points, levels }, { windowStart: from, windowEnd: until, until: now })
  const [low, high] = shape.dollars
  const seen = strikes.filter(({ price }) => price >= low && price <= high)
  const last = points.at(-1)
  const nowX = shape.xOf(now)
  return (
    <Plot
      label={label}
      xLabels={[
        { at: 0, text: past[0] },
        { at: nowX / 2, text: past[1] },
        { at: nowX, text: 'now' },
      ]}
      yLabels={ticksOf(shape.dollars, 4).map((price) => ({
        at: shape.yOf(price),
        text: strike(Math.round(price * 10_000)),
      }))}
      lineLabels={seen.map(({ price, text }) => ({ at: shape.yOf(price), text }))}
    >
      {seen.map(({ price }) => (
        <path key={price} className="line-grid" d={`M0 ${shape.yOf(price)}H100`} />
      ))}
      {expiries.map(({ expiry, isChosen }) => (
        <path key={expiry} className={isChosen ? 'line-resolved' : 'line-mark'} d={`M${shape.xOf(expiry)} 0V100`} />
      ))}
      <path className="line-axis" d={`M${nowX} 96V100`} />
      <path className="line-main" d={shape.prices} />
      {last !== undefined && <path className="dot-main" d={dotPath({ x: nowX, y: shape.yOf(last.price) })} />}
    </Plot>
  )
}
