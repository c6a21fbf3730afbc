import { gain, resolution, strike, usd } from '@rfqctl/lib/format'
import { usd6 } from '@rfqctl/protocol/domain/units'
import { type PointerEvent, type ReactNode, useId, useState } from 'react'
import { Plot } from './Plot.tsx'
import { type PayoffShape, type ProfitAt, payoffShape } from './payoff.ts'
import { dotPath } from './scale.ts'

type PayoffChartProps = {
  points: readonly ProfitAt[]
  /** Current price of the YES token, hundredths of $1, and the profit at just that price; null if unknown. */
  spot: ProfitAt | null
  /** Profit at the mark, micro-dollars; null without one. A ring shows it at the current price. */
  atMark?: bigint | null
  /** Whether what was paid is counted; else the points are what an option pays, and none of it is a gain. */
  isProfit?: boolean
  label: string
  size?: 'small' | 'normal'
}

/**
 * Profit at each price at which the market can resolve: gains above the line, losses below. A pointer, a finger or the
 * arrow keys select a price; the default is the current one.
 */
export function PayoffChart({
  points,
  spot,
  atMark = null,
  isProfit = true,
  label,
  size = 'normal',
}: PayoffChartProps): ReactNode {
  const [chosen, setChosen] = useState<number | null>(null)
  const at = chosen === null ? spot : (points.find((point) => point.price === chosen) ?? null)
  const text = (profit: bigint) => (isProfit ? gain(usd6(profit)) : usd(usd6(profit)))
  const shape = payoffShape(points, atMark)
  return (
    <div className={isProfit ? 'payoff' : 'payoff payoff-plain'}>
      <p className="payoff-reading" aria-hidden="true">
        <span className="muted">
          {at === null
            ? 'By the price that YES resolves at'
            : `${chosen === null ? 'If YES stays at' : 'If YES resolves at'} ${strike(at.price * 100)}`}
        </span>
        {at !== null && <span className={isProfit ? toneOf(at.profit) : 'strong'}>{text(at.profit)}</span>}
      </p>
      {atMark !== null && (
        <p className="payoff-reading" aria-hidden="true">
          <span className="muted">○ If closed now, at the mark</span>
          <span className={toneOf(atMark)}>{gain(usd6(atMark))}</span>
        </p>
      )}
      <Plot
        label={label}
        size={size}
        xLabels={AXIS}
        overlay={<Slider points={points} price={Math.round(at?.price ?? 50)} text={text} onChoose={setChosen} />}
      >
        <Picture shape={shape} price={at?.price ?? null} />
        {spot !== null && atMark !== null && <Ring d={dotPath(shape.at({ ...spot, profit: atMark }))} />}
      </Plot>
    </div>
  )
}

const AXIS = [0, 25, 50, 75, 100].map((at) => ({ at, text: resolution(at) }))

const toneOf = (profit: bigint): string => (profit > 0n ? 'strong gain' : profit < 0n ? 'strong loss' : 'strong')

function Picture({ shape, price }: { shape: PayoffShape; price: number | null }): ReactNode {
  const place = price === null ? null : shape.placeOf(price)
  return (
    <>
      <path className="area-gain" d={shape.gain} />
      <path className="area-loss" d={shape.loss} />
      <path className="line-axis" d={`M0 ${shape.zeroY}H100`} />
      {place !== null && <path className="line-mark" d={`M${place.x} 0V100`} />}
      <path className="line-main" d={shape.line} />
      {place !== null && <path className="dot-main" d={dotPath(place)} />}
    </>
  )
}

const Ring = ({ d }: { d: string }): ReactNode => (
  <>
    <path className="dot-main" d={d} />
    <path className="dot-hollow" d={d} />
  </>
)

type SliderProps = {
  points: readonly ProfitAt[]
  price: number
  text: (profit: bigint) => string
  onChoose: (price: number | null) => void
}

/** Selects the price with a familiar control, invisible over the whole chart. */
function Slider({ points, price, text, onChoose }: SliderProps): ReactNode {
  const id = useId()
  const profit = points.find((point) => point.price === price)?.profit ?? 0n
  const onMove = (event: PointerEvent<HTMLInputElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    onChoose(priceUnder(event.clientX - left, width))
  }
  return (
    <input
      id={id}
      className="plot-slider"
      type="range"
      min={0}
      max={100}
      value={price}
      aria-label="YES resolves at"
      aria-valuetext={`${resolution(price)}: ${text(profit)}`}
      onChange={({ target }) => onChoose(Number(target.value))}
      onPointerMove={onMove}
      onPointerLeave={() => onChoose(null)}
      onBlur={() => onChoose(null)}
    />
  )
}

/** Hundredths of $1, from pixels right of the chart's left edge and its width. */
export const priceUnder = (x: number, width: number): number =>
  Math.round(Math.min(1, Math.max(0, width <= 0 ? 0 : x / width)) * 100)
