import type { ReactNode } from 'react'
import { Plot } from './Plot.tsx'
import { dotPath, ticksOf } from './scale.ts'
import { type PriceAt, type WindowShape, windowShape } from './window.ts'

type WindowChartProps = {
  points: readonly PriceAt[]
  averages: readonly PriceAt[]
  /** Unix seconds. */
  windowStart: number
  windowEnd: number
  /** Current time within the window; null before and after it. */
  cursor: number | null
  /** Dollars; null while unresolved. */
  resolvedAt: number | null
  /** The strikes that the price decides about, dollars. */
  strikes: readonly number[]
  label: string
}

export function WindowChart(props: WindowChartProps): ReactNode {
  const { windowStart, windowEnd, cursor, resolvedAt, strikes } = props
  const shape = windowShape(props, { windowStart, windowEnd, until: cursor ?? windowEnd })
  const [low, high] = shape.dollars
  const level = (dollars: number) => `M0 ${shape.yOf(dollars)}H100`
  return (
    <>
      <Plot label={props.label} xLabels={timeLabels(windowStart, windowEnd)} yLabels={priceLabels(shape)}>
        {priceLabels(shape).map(({ at }) => (
          <path key={at} className="line-grid" d={`M0 ${at}H100`} />
        ))}
        {strikes
          .filter((strike) => strike > low && strike < high)
          .map((strike) => (
            <path key={strike} className="line-mark" d={level(strike)} />
          ))}
        <path className="line-faint" d={shape.prices} />
        <path className="line-main" d={shape.average} />
        {cursor !== null && <path className="line-mark" d={`M${shape.xOf(cursor)} 0V100`} />}
        {shape.tip !== null && <path className="dot-main" d={dotPath(shape.tip)} />}
        {resolvedAt !== null && <path className="line-resolved" d={level(Math.min(high, Math.max(low, resolvedAt)))} />}
      </Plot>
      <p className="legend">
        <span className="legend-faint">YES price</span>
        <span className="legend-main">average so far</span>
        {resolvedAt !== null && <span className="legend-resolved">resolved</span>}
      </p>
    </>
  )
}

function timeLabels(windowStart: number, windowEnd: number) {
  const minutes = Math.round((windowEnd - windowStart) / 60)
  return [
    { at: 0, text: `${minutes} min before expiry` },
    { at: 100, text: 'expiry' },
  ]
}

const priceLabels = ({ dollars, yOf }: WindowShape) =>
  ticksOf(dollars, 4).map((price) => ({ at: yOf(price), text: `$${price.toFixed(2)}` }))
